/** Pods that are ready when a test says so: their template has a readiness gate that only the test opens. */
import type { Client } from '@kruise/kube';
import { pods } from '@kruise/objects';

/** The condition of the gate. */
const serving = 'example.com/serving';

/** For the spec of a template: updates in place, and ready when {@link setServing} says so. */
export const servingGate = { readinessGates: [{ conditionType: 'InPlaceUpdateReady' }, { conditionType: serving }] };

/** Opens or closes the gate of one Pod. */
export async function setServing(
  client: Client,
  key: { readonly namespace: string; readonly name: string },
  isServing: boolean,
): Promise<void> {
  const condition = { type: serving, status: isServing ? 'True' : 'False' };
  await client.patch(pods, key, { status: { conditions: [condition] } }, { type: 'strategic', subresource: 'status' });
}
