import { spawnSync } from 'node:child_process';
import { openCapture } from './capture.ts';

const words = process.argv.slice(3);
const cut = words.indexOf('--');
const command = cut < 0 ? [] : words.slice(cut + 1);
const capture = openCapture(cut < 0 ? words : words.slice(0, cut), command);
const startedAt = Date.now();
const { status, signal, stdout } = spawnSync(command[0] ?? 'false', command.slice(1), {
  stdio: ['inherit', 'pipe', 'inherit'],
});
process.stdout.write(stdout);
void capture?.afterCommand({
  exitCode: status,
  signal,
  startedAt,
  durationMs: Date.now() - startedAt,
  stdoutTail: stdout,
  stdoutCut: false,
});
if (signal) process.kill(process.pid, signal);
process.exitCode = status ?? 1;
