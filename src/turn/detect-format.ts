import type { LogFormat } from '../contract/turn.ts';
import { isJsonObject, type JsonObject } from '../json/json-object.ts';

const codexTypes = /^(?:session_meta|turn_context|response_item|event_msg|compacted|world_state)$/;
const claudeTypes =
  /^(?:user|assistant|system|result|summary|attachment|progress|file-history-snapshot|queue-operation)$/;
const piTypes = /^(?:message|compaction|branch_summary|model_change|thinking_level_change|session_info)$/;

/** The host that writes rows like this one; null when the row does not tell. */
export function detectFormat(row: JsonObject): LogFormat | null {
  const { type } = row;
  if (typeof type !== 'string') return null;
  if (codexTypes.test(type) && isJsonObject(row['payload'])) return 'codex';
  if (type === 'session' && ('version' in row || 'cwd' in row)) return 'pi';
  if (claudeTypes.test(type)) return 'claude';
  return piTypes.test(type) ? 'pi' : null;
}
