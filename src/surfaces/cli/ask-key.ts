import { createPrompt, makeTheme, useKeypress, usePrefix, useState } from '@inquirer/core';

/** One answer: the key that gives it, and what it means. */
export interface KeyAnswer<T extends string> {
  readonly key: string;
  readonly value: T;
  readonly meaning: string;
}

interface Question {
  readonly message: string;
  readonly answers: readonly KeyAnswer<string>[];
}

const prompt = createPrompt<string, Question>(({ message, answers }, done) => {
  const theme = makeTheme({});
  const [given, setGiven] = useState<string | null>(null);
  const prefix = usePrefix({ status: given === null ? 'idle' : 'done', theme });
  useKeypress((event) => {
    const answer = answers.find(({ key }) => key === event.name);
    if (!answer) return;
    setGiven(answer.meaning);
    done(answer.value);
  });
  if (given !== null) return `${prefix} ${message} ${given}`;
  const keys = answers.map(({ key, meaning }) => `  [${key}] ${meaning}`).join('\n');
  return [`${prefix} ${message}`, keys];
});

/** Asks on the terminal and takes one key, without Enter. Null: the person pressed Ctrl-C. */
export async function askKey<T extends string>(
  message: string,
  answers: readonly KeyAnswer<T>[],
): Promise<T | null> {
  try {
    return (await prompt({ message, answers })) as T;
  } catch (error) {
    if (error instanceof Error && error.name === 'ExitPromptError') return null;
    throw error;
  }
}
