import type { Config } from '../../contract/config.ts';
import type { FleetTerms } from '../../contract/fleet-terms.ts';
import { sha256 } from '../../spool/lazy-crypto.ts';

/** An observer's terms as they are stored, and the digest that names them. */
export function termsOf(config: Config): { readonly text: string; readonly digest: string } {
  const { evaluator, structural, minimum_label_probability, signal_rule } = config;
  const remote = evaluator === 'chat' ? config.chat : config.system_one;
  const terms: FleetTerms = {
    schema_version: 'drift_fleet_terms_v1',
    evaluator,
    structural,
    minimum_label_probability,
    signal_rule,
    allow_egress: remote?.allow_egress ?? false,
  };
  const text = JSON.stringify(terms);
  return { text, digest: sha256(text) };
}
