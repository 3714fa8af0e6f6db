/** What each action does at the API server. It may be repeated. */
import type { PodUnavailableBudget } from '@kruise/api';
import { isFailure, type Client } from '@kruise/kube';
import { keyOf, pods } from '@kruise/objects';
import { type AnnotatePod, relatedPubAnnotations } from '@kruise/kinds/podunavailablebudget';

/** A deleted Pod, or another Pod with its name, needs no annotation. */
export async function execute({ pod }: AnnotatePod, budget: PodUnavailableBudget, client: Client, signal: AbortSignal): Promise<void> {
  const patch = { metadata: { uid: pod.metadata.uid, annotations: relatedPubAnnotations(budget.metadata.name) } };
  try {
    await client.patch(pods, keyOf(pod), patch, { type: 'strategic', signal });
  } catch (error) {
    if (!isFailure(error, 'NotFound')) throw error;
  }
}
