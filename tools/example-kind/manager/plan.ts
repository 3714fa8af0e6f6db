/** The rules of a MaintenanceNotice. Pure: time is an input, and the same input gives the same plan. */
import { createMergePatch, formatTime, keyOf, milliseconds, newControllerRef, parseTime, seconds, setCondition } from '@kruise/objects';
import { isControlledBy, isEmptyPatch, type ConfigMap, type Instant, type JsonObject, type Milliseconds } from '@kruise/objects';
import { maintenanceNotices, noticeLabel, type MaintenanceNotice, type MaintenanceNoticeStatus } from '../api/index.ts';

/** The notice, and the ConfigMap with its name, which may have another owner. */
export type Snapshot = { readonly notice: MaintenanceNotice; readonly configMap: ConfigMap | undefined };
export type Action = { readonly configMap: ConfigMap; readonly because: string } & (
  { readonly kind: 'Create' | 'Delete' } | { readonly kind: 'Restore'; readonly patch: JsonObject }
);
export interface Plan {
  readonly actions: readonly Action[];
  readonly state: { readonly reason: 'Running' | 'Expired' | 'WriteFailed'; readonly message: string };
  readonly requeueAfter?: Milliseconds;
}

function publish({ notice, configMap }: Snapshot): readonly Action[] {
  const metadata = { ...keyOf(notice), labels: { [noticeLabel]: '' }, ownerReferences: [newControllerRef(notice, maintenanceNotices)] };
  const data = { message: notice.spec.message };
  if (configMap === undefined) return [{ kind: 'Create', configMap: { metadata, data }, because: 'there is no ConfigMap' }];
  const change = createMergePatch(configMap.data ?? {}, data);
  const patch = { metadata: { uid: configMap.metadata.uid }, data: change };
  return isEmptyPatch(change) ? [] : [{ kind: 'Restore', configMap, patch, because: 'the data is not that of the notice' }];
}

export function plan({ notice, configMap: held }: Snapshot, now: Instant): Plan {
  const { uid, creationTimestamp } = notice.metadata;
  const configMap = held !== undefined && isControlledBy(held, uid) ? held : undefined;
  const left = milliseconds((parseTime(creationTimestamp) ?? now) + seconds(notice.spec.durationSeconds ?? 3600) - now);
  if (left > 0) return { actions: publish({ notice, configMap }), state: { reason: 'Running', message: '' }, requeueAfter: left };
  const because = 'the time of the notice is over';
  const actions: readonly Action[] = configMap === undefined ? [] : [{ kind: 'Delete', configMap, because }];
  return { actions, state: { reason: 'Expired', message: because } };
}

export function computeStatus(notice: MaintenanceNotice, { reason, message }: Plan['state'], now: Instant): MaintenanceNoticeStatus {
  const status = reason === 'Running' ? 'True' : 'False';
  const condition = { type: 'Published', status, reason, message, lastTransitionTime: formatTime(now) } as const;
  return { observedGeneration: notice.metadata.generation ?? 0, conditions: setCondition(notice.status?.conditions, condition, now) };
}
