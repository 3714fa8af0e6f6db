/** The events of a ResourceDistribution. */
import type { ResourceDistribution, ResourceDistributionCondition } from '@kruise/api';
import type { EventRecorder } from '@kruise/kube';

const mostNamed = 10;

/** One event a condition that turns True. */
export function distributeFailed(
  recorder: EventRecorder,
  distribution: ResourceDistribution,
  condition: ResourceDistributionCondition,
): void {
  const { type, reason = '', failedNamespaces = [] } = condition;
  const named = failedNamespaces.slice(0, mostNamed).join(', ');
  const more = failedNamespaces.length > mostNamed ? ` and ${failedNamespaces.length - mostNamed} more` : '';
  const where = named === '' ? '' : ` in ${named}${more}`;
  recorder.event(distribution, 'Warning', 'DistributeFailed', `${type}${where}: ${reason}`);
}
