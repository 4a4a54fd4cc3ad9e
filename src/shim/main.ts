import { spawnSync } from 'node:child_process';
import { openCapture } from './capture.ts';

const words = process.argv.slice(2);
const cut = words.indexOf('--');
const command = cut < 0 ? [] : words.slice(cut + 1);
openCapture(cut < 0 ? words : words.slice(0, cut), command);
const { status } = spawnSync(command[0] ?? 'false', command.slice(1), { stdio: 'inherit' });
process.exitCode = status ?? 1;
