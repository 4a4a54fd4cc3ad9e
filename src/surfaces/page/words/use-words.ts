import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { en, type Words } from './en.ts';
import { zh } from './zh.ts';

export const languages = { en, zh } as const;
export type Language = keyof typeof languages;

const stored = 'drift-language';

/** What was chosen before, else what the browser speaks. */
export function firstLanguage(): Language {
  const chosen = readSetting(stored);
  if (chosen === 'en' || chosen === 'zh') return chosen;
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

export const keepLanguage = (language: Language): void => keepSetting(stored, language);

export const WordsContext = createContext<Words>(en);
export const useWords = (): Words => useContext(WordsContext);

/** A page from a file may have no storage; then a setting lasts as long as the page. */
export function readSetting(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function keepSetting(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // It lasts as long as the page.
  }
}
