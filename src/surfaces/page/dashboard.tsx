import { render } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { Api, type GoalAnswer } from './api.ts';
import { Frame } from './frame.tsx';
import { GoalPanel } from './goal-panel.tsx';
import { useWords } from './words/use-words.ts';

const RETRY_MS = 2_000;

/** What the page knows. While it reads it knows nothing, and what it knew before is not kept. */
type Reading =
  | { readonly state: 'reading' }
  | { readonly state: 'unavailable'; readonly message: string | null }
  | { readonly state: 'read'; readonly goals: readonly GoalAnswer[]; readonly at: Date };

function Dashboard({ api }: { readonly api: Api }) {
  const [reading, setReading] = useState<Reading>({ state: 'reading' });
  const [chosen, setChosen] = useState(0);
  const readAgain = useCallback(async (): Promise<void> => {
    try {
      setReading({ state: 'read', goals: await api.readGoals(), at: new Date() });
    } catch (error) {
      const message =
        error instanceof TypeError ? null : error instanceof Error ? error.message : String(error);
      setReading({ state: 'unavailable', message });
    }
  }, [api]);
  const withdrawAndRead = useCallback((): Promise<void> => {
    setReading({ state: 'reading' });
    return readAgain();
  }, [readAgain]);

  useEffect(() => {
    const ended = new AbortController();
    const follow = async (): Promise<void> => {
      while (!ended.signal.aborted) {
        await readAgain();
        await api.watch(readAgain, ended.signal).catch(() => undefined);
        if (ended.signal.aborted) return;
        setReading({ state: 'unavailable', message: null });
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    };
    void follow();
    return () => ended.abort();
  }, [api, readAgain]);

  return (
    <Page
      reading={reading}
      chosen={chosen}
      onChoose={setChosen}
      onReread={withdrawAndRead}
      api={api}
      onWritten={readAgain}
    />
  );
}

interface PageProps {
  readonly reading: Reading;
  readonly chosen: number;
  readonly onChoose: (at: number) => void;
  readonly onReread: () => void;
  readonly onWritten: () => Promise<void>;
  readonly api: Api;
}

function Page({ reading, chosen, onChoose, onReread, onWritten, api }: PageProps) {
  const words = useWords();
  const goals = reading.state === 'read' ? reading.goals : [];
  const goal = goals[chosen] ?? goals[0];
  return (
    <>
      <p>
        <button type="button" onClick={onReread} disabled={reading.state === 'reading'}>
          {words.reread}
        </button>{' '}
        <span class="hint" role="status">
          {reading.state === 'reading' && words.reading}
          {reading.state === 'read' && words.readAt(reading.at.toLocaleTimeString(words.language))}
        </span>
      </p>
      {reading.state === 'unavailable' && (
        <p class="notice bad" role="alert">
          <strong>{words.unavailable}.</strong> {reading.message ?? words.connectionLost}{' '}
          {words.unavailableNote}
        </p>
      )}
      {goals.length > 1 && (
        <nav aria-label={words.goals}>
          <ul class="goals">
            {goals.map(({ head }, at) => (
              <li key={head.key}>
                <button type="button" aria-current={goals[at] === goal} onClick={() => onChoose(at)}>
                  {head.goal_id}
                </button>
              </li>
            ))}
          </ul>
        </nav>
      )}
      {goal && <GoalPanel key={goal.head.key} goal={goal} api={api} onWritten={onWritten} />}
    </>
  );
}

const token = new URL(location.href).searchParams.get('token') ?? '';
const root = document.getElementById('page');
if (root)
  render(
    <Frame title={(words) => words.title} breadcrumb={(words) => words.breadcrumb}>
      <Dashboard api={new Api(token)} />
    </Frame>,
    root,
  );
