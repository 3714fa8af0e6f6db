/** Creations of kinds that are off. */
import type { GateName, Gates } from '@kruise/api';

/** Returns a check that names the first of the gates that is off. */
export const gateDenial =
  (...needed: readonly GateName[]) =>
  (gates: Gates): string | undefined => {
    const off = needed.find((name) => !gates[name]);
    return off === undefined ? undefined : `feature-gate ${off} is not enabled`;
  };
