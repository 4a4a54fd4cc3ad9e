import { start } from './program.ts';

await start();
