import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { repaintEvent } from './timeline.tsx';
import type { Words } from './words/en.ts';
import {
  firstLanguage,
  keepLanguage,
  keepSetting,
  languages,
  readSetting,
  WordsContext,
} from './words/use-words.ts';

const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

interface Props {
  readonly title: (words: Words) => string;
  readonly breadcrumb: (words: Words) => string;
  readonly children: ComponentChildren;
}

/** Heading, language, theme and the line that always stands: what model scores are not. */
export function Frame({ title, breadcrumb, children }: Props) {
  const [language, setLanguage] = useState(firstLanguage);
  const [theme, setTheme] = useState<Theme>(() => themeOf(readSetting('drift-theme')));
  const words = languages[language];
  useEffect(() => {
    document.documentElement.lang = words.language;
    document.title = title(words);
    keepLanguage(language);
  }, [language, words, title]);
  useEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
    keepSetting('drift-theme', theme);
    dispatchEvent(new Event(repaintEvent));
  }, [theme]);
  return (
    <WordsContext.Provider value={words}>
      <main>
        <header class="top">
          <div>
            <p class="hint">{breadcrumb(words)}</p>
            <h1>{title(words)}</h1>
          </div>
          <div class="settings no-print">
            <label>
              {words.theme.label}{' '}
              <select value={theme} onChange={(event) => setTheme(themeOf(event.currentTarget.value))}>
                {themes.map((each) => (
                  <option key={each} value={each}>
                    {words.theme[each]}
                  </option>
                ))}
              </select>
            </label>
            <button
              type="button"
              lang={language === 'en' ? 'zh-CN' : 'en'}
              onClick={() => setLanguage(language === 'en' ? 'zh' : 'en')}
            >
              {words.otherLanguage}
            </button>
          </div>
        </header>
        <p class="authority">{words.authority}</p>
        {children}
      </main>
    </WordsContext.Provider>
  );
}

const themeOf = (name: string | null): Theme => themes.find((theme) => theme === name) ?? 'system';
