import type { PolicyMode, PolicySignal } from '../../contract/policy.ts';
import type { EventDetail } from '../../readmodel/event-detail.ts';
import type { GoalView } from '../../readmodel/goal-view.ts';
import type { Truth } from '../../readmodel/labels.ts';

/** One goal as the server could read it now, or why it could not. */
export type GoalAnswer =
  | GoalView
  | {
      readonly read: 'unavailable';
      readonly head: { readonly key: string; readonly goal_id: string };
      readonly message: string;
      readonly hint: string;
    };

export interface PolicyWish {
  readonly mode: PolicyMode;
  readonly signal: PolicySignal;
  readonly drift_threshold: number;
  /** Empty: no pin. */
  readonly contract_revision: string;
}

export interface PolicyAnswer {
  readonly changed: boolean;
  readonly written: boolean;
  readonly changes: readonly {
    readonly field: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
}

/** The requests of the page. The token from the printed URL goes with each; a failure rejects with its words. */
export class Api {
  private readonly headers: Readonly<Record<string, string>>;

  constructor(token: string) {
    this.headers = { authorization: `Bearer ${token}` };
  }

  readGoals(): Promise<readonly GoalAnswer[]> {
    return this.get<{ goals: readonly GoalAnswer[] }>('/api/goals').then(({ goals }) => goals);
  }

  readEvent(goal: string, event: string): Promise<EventDetail> {
    return this.get(`/api/goals/${goal}/events/${event}`);
  }

  label(goal: string, event_id: string, truth: Truth | null): Promise<unknown> {
    return this.post(`/api/goals/${goal}/labels`, { event_id, truth });
  }

  setPolicy(goal: string, wish: PolicyWish, execute: boolean): Promise<PolicyAnswer> {
    return this.post(`/api/goals/${goal}/policy`, { ...wish, execute });
  }

  /** Calls back whenever something changed on disk, until aborted; ends or rejects when the server is gone. */
  async watch(onChange: () => void, signal: AbortSignal): Promise<void> {
    const response = await fetch('/api/changes', { headers: this.headers, signal });
    if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      if (value.includes('event: change')) onChange();
    }
  }

  private async get<T>(path: string): Promise<T> {
    return read(await fetch(path, { headers: this.headers, cache: 'no-store' }));
  }

  private async post<T>(path: string, body: object): Promise<T> {
    const headers = { ...this.headers, 'content-type': 'application/json' };
    return read(await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) }));
  }
}

async function read<T>(response: Response): Promise<T> {
  const document = (await response.json()) as T & { error?: { message: string; hint: string } };
  if (response.ok) return document;
  const { message = `HTTP ${response.status}`, hint = '' } = document.error ?? {};
  throw new Error(`${message}\n${hint}`.trim());
}
