/** The feature gates with which the manager of the cluster runs. */
import { defaultGates, objectNames, type Gates } from '@kruise/api';
import { isFailure } from '@kruise/kube';
import { deployments } from '@kruise/workloads';
import { gatesOf, managerToRun } from '../check/installation.ts';
import type { Untyped } from '../objects/untyped.ts';
import type { Session } from '../session.ts';

/** Why the gates are unknown. */
interface Unknown {
  readonly because: string;
}

async function read(session: Session): Promise<Gates | Unknown> {
  const fieldSelector = `metadata.name=${objectNames.managerDeployment}`;
  const { items } = await session.client().list(deployments, { fieldSelector, signal: session.signal });
  const manager = managerToRun(items as unknown as readonly Untyped[]);
  if (manager === undefined) return { because: `there is no Deployment ${objectNames.managerDeployment}` };
  const gates = gatesOf(manager);
  return typeof gates === 'string' ? { because: gates } : gates;
}

/** Reads the gates from the flags of the manager's Deployment. Returns the defaults, and warns, without such a Deployment, or the right to list it. */
export async function readManagerGates(session: Session): Promise<Gates> {
  const found = await read(session).catch((error: unknown): Unknown => {
    if (!isFailure(error, 'Forbidden')) throw error;
    return { because: 'you may not list deployments.apps' };
  });
  if (!('because' in found)) return found;
  session.warn(`Warning: assuming the default feature gates: ${found.because}; name those of the manager with --feature-gates`);
  return defaultGates;
}
