import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    globalSetup: ['test/support/build-once.ts'],
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores: more workers only make spawned commands wait for each other.
    maxWorkers: 2,
    // A shared build machine may be busy; a fault of ours fails every time.
    retry: process.env['CI'] ? 2 : 0,
  },
});
