import type { Socket } from 'node:net';
import { releaseDescriptor } from '../command/descriptors.ts';
import type { OutputTail } from './output-tail.ts';
import type { StdoutSink } from './stdout-sink.ts';

/** Hands the command's stdout on to the caller's, a chunk at a time, and keeps its tail. */
export interface StdoutPump {
  /**
   * To be called when the command has ended. Calls back when every byte that it wrote has been handed on. Does not wait
   * for a grandchild that still holds the pipe: the rest is left to a `cat` of its own.
   */
  finish(done: () => void): void;
}

export function pumpStdout(source: Socket, sink: StdoutSink, tail: OutputTail): StdoutPump {
  let isWriting = false;
  let hasEnded = false;
  let isOver = false;
  let isHandedOver = false;
  let chunks = 0;
  let whenDone: (() => void) | null = null;

  const end = (): void => {
    if (isOver) return;
    isOver = true;
    source.destroy();
    sink.close();
    // The caller sees the end when the command's last holder of stdout closes it, not when drift exits.
    releaseDescriptor(1);
    whenDone?.();
  };
  const settle = (): void => {
    if (isOver || isWriting || whenDone === null) return;
    const seen = chunks;
    // The first immediate runs before the loop polls again, the second after: the pipe has been read empty by then.
    setImmediate(() =>
      setImmediate(() => {
        if (chunks !== seen || isWriting) settle();
        else if (!isOver && !isHandedOver) handOver();
      }),
    );
  };
  const handOver = (): void => {
    isHandedOver = true;
    source.pause();
    const { spawn } = process.getBuiltinModule('node:child_process');
    const cat = spawn('/bin/cat', [], { stdio: [source, 1, 'ignore'], detached: true });
    cat.on('error', () => source.resume());
    if (cat.pid === undefined) return;
    cat.unref();
    isOver = true;
    whenDone?.();
  };

  source.on('data', (chunk: Buffer) => {
    chunks += 1;
    tail.push(chunk);
    isWriting = true;
    sink.write(chunk, (isAlive) => {
      isWriting = false;
      // A reader that has gone: the command learns it by SIGPIPE at its next write.
      if (!isAlive || hasEnded) return end();
      if (source.isPaused()) source.resume();
      settle();
    });
    if (isWriting) source.pause();
  });
  source.on('end', () => {
    // The stream may end while its last chunk is still on its way.
    hasEnded = true;
    if (!isWriting) end();
  });
  source.on('error', end);
  return {
    finish(done) {
      whenDone = done;
      if (isOver) done();
      else settle();
    },
  };
}
