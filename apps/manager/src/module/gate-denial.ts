/** Writes of kinds that are off. */
import type { GateName, Gates } from '@kruise/api';
import type { Denial } from './kind-admission.ts';

/** Refuses writes while one of the gates is off. */
export function gateDenial(gates: Gates, ...needed: readonly GateName[]): Denial | undefined {
  const off = needed.find((name) => !gates[name]);
  return off === undefined ? undefined : { code: 403, message: `feature-gate ${off} is not enabled` };
}
