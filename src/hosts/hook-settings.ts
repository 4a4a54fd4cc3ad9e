import { type ParseError, parse } from 'jsonc-parser';
import { asJsonObject, isJsonObject } from '../json/json-object.ts';
import { appendValue, removeValue, replaceValue } from './edit-json.ts';

/** A settings text as it is to become; null where there is no file and none is needed. */
export type SettingsPlan =
  | { readonly ok: true; readonly text: string | null; readonly changed: boolean }
  /** The text is no settings file: `field` is the key that is not what it should be, empty for the whole. */
  | { readonly ok: false; readonly field: string };

/** At a stop the transition is captured; before a prompt the open obligation is told. */
const events = ['Stop', 'UserPromptSubmit'] as const;

const timeoutSeconds = 30;

/** Where one of our entries stands: the group, and the place in it. */
interface Entry {
  readonly group: number;
  readonly index: number;
  readonly command: string;
}

/** The settings with our hooks in them; every other byte stays, and hooks of ours are brought up to date in place. */
export function planInstall(text: string | null, commands: Readonly<Record<string, string>>): SettingsPlan {
  const fault = text === null ? null : faultOf(text);
  if (fault !== null) return { ok: false, field: fault };
  let after = text ?? '{}\n';
  for (const event of events) after = installOne(after, event, commands[event] ?? '');
  return { ok: true, text: after, changed: after !== text };
}

function installOne(text: string, event: string, command: string): string {
  const [found] = entriesOf(text, event);
  if (found) {
    const path = ['hooks', event, found.group, 'hooks', found.index, 'command'];
    return found.command === command ? text : replaceValue(text, path, command);
  }
  const group = { hooks: [{ type: 'command', command, timeout: timeoutSeconds }] };
  const hooks = asJsonObject(parse(text))['hooks'];
  if (hooks === undefined) return appendValue(text, [], { [event]: [group] }, 'hooks');
  return asJsonObject(hooks)[event] === undefined
    ? appendValue(text, ['hooks'], [group], event)
    : appendValue(text, ['hooks', event], group);
}

/** The settings without our hooks, and without what held nothing else. */
export function planUninstall(text: string | null): SettingsPlan {
  if (text === null) return { ok: true, text: null, changed: false };
  const fault = faultOf(text);
  if (fault !== null) return { ok: false, field: fault };
  const after = events.reduce(uninstallOne, text);
  const isLeftEmpty =
    after !== text && Object.keys(asJsonObject(asJsonObject(parse(after))['hooks'])).length === 0;
  return { ok: true, text: isLeftEmpty ? removeValue(after, ['hooks']) : after, changed: after !== text };
}

/** The last entry first, so that the places of the others stay. */
function uninstallOne(text: string, event: string): string {
  const entries = entriesOf(text, event).reverse();
  const after = entries.reduce((left, { group, index }) => {
    const path = ['hooks', event, group];
    const isAlone = asList(asJsonObject(groupsOf(left, event)[group])['hooks']).length === 1;
    return removeValue(left, isAlone ? path : [...path, 'hooks', index]);
  }, text);
  const isLeftEmpty = entries.length > 0 && groupsOf(after, event).length === 0;
  return isLeftEmpty ? removeValue(after, ['hooks', event]) : after;
}

/** Ours is what runs `drift hook`, wherever drift lies and whatever its options are. */
const isOurs = (command: unknown): command is string =>
  typeof command === 'string' && /(?:^|[/'"\s])drift['"]? hook (?:claude-code|codex)\b/.test(command);

/** The shell line of a hook. A host may take exit 2 for a block, so that whatever goes wrong in drift ends well. */
export const hookLine = (command: string): string => `${command} || true`;

function faultOf(text: string): string | null {
  const errors: ParseError[] = [];
  const settings: unknown = parse(text, errors);
  if (errors.length > 0 || !isJsonObject(settings)) return '';
  if (settings['hooks'] === undefined) return null;
  if (!isJsonObject(settings['hooks'])) return 'hooks';
  const wrong = events.find((event) => {
    const groups = asJsonObject(settings['hooks'])[event];
    return groups !== undefined && !Array.isArray(groups);
  });
  return wrong === undefined ? null : `hooks.${wrong}`;
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const groupsOf = (text: string, event: string): readonly unknown[] =>
  asList(asJsonObject(asJsonObject(parse(text))['hooks'])[event]);

function entriesOf(text: string, event: string): Entry[] {
  return groupsOf(text, event).flatMap((value, group) =>
    asList(asJsonObject(value)['hooks']).flatMap((entry, index) => {
      const { command } = asJsonObject(entry);
      return isOurs(command) ? [{ group, index, command }] : [];
    }),
  );
}
