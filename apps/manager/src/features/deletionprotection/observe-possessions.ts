/** What a namespace or a CRD still has, read live: an object of a moment ago counts, and nothing is cached for the rare deletion. */
import type { Gates } from '@kruise/api';
import { isTerminating, admissionLimits, messageOf, type KubeObject, type PersistentVolumeClaim, type Pod } from '@kruise/objects';
import type { Cascade, Possession } from '../../module/decide-deletion.ts';
import type { LiveReads } from '../../module/handler-dependencies.ts';
import { liveClaims, liveObjectsOf, livePods } from '../../module/live-lists.ts';
import { resourceOfCrd } from '@kruise/kinds/deletionprotection';
import { countLive } from './live-count.ts';

/** Counts up to this number are exact, so that most messages contain the true number. */
const exactUpTo = admissionLimits.liveListPage.value;

/** The server has omitted those that have ended. */
const isActive = (pod: Pod): boolean => !isTerminating(pod) && pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed';
const isBound = (claim: PersistentVolumeClaim): boolean =>
  !isTerminating(claim) && (claim as { readonly status?: { readonly phase?: string } }).status?.phase === 'Bound';

/** Pods first, claims only when no Pod is active. @see spec/deletion-protection.md 2 */
export const ofNamespace =
  (client: Pick<LiveReads, 'list'>): Cascade =>
  async (object, signal): Promise<Possession> => {
    const namespace = (object as unknown as KubeObject).metadata.name;
    const fieldSelector = 'status.phase!=Succeeded,status.phase!=Failed';
    let listed = 'pods';
    try {
      const active = await countLive({ type: livePods, namespace, fieldSelector, counts: isActive, firstPage: exactUpTo }, client, signal);
      if (active > 0) return { kind: 'Active', what: `active pods ${active}>0` };
      listed = 'pvc';
      const bound = await countLive({ type: liveClaims, namespace, counts: isBound, firstPage: exactUpTo }, client, signal);
      return bound > 0 ? { kind: 'Active', what: `"Bound" status pvc ${bound}>0` } : { kind: 'None' };
    } catch (error) {
      return { kind: 'Unreadable', what: `list ${listed} error: ${messageOf(error)}` };
    }
  };

/** One object is enough; the server says how many are behind it. */
export const ofCrd =
  (client: Pick<LiveReads, 'list'>, gates: Pick<Gates, 'DeletionProtectionForCRDCascadingGate'>): Cascade =>
  async (crd, signal): Promise<Possession> => {
    if (!gates.DeletionProtectionForCRDCascadingGate)
      return { kind: 'Unknown', message: 'feature-gate DeletionProtectionForCRDCascadingGate is not enabled' };
    const resource = resourceOfCrd(crd);
    if (resource.kind === 'NotServed')
      return { kind: 'Unknown', message: `failed to list CRs of ${resource.gvk}: none of its versions is served` };
    const { type } = resource;
    try {
      const active = await countLive(
        { type: liveObjectsOf(type), counts: (object) => !isTerminating(object), firstPage: 1 },
        client,
        signal,
      );
      return active > 0 ? { kind: 'Active', what: `active CRs ${active}>0` } : { kind: 'None' };
    } catch (error) {
      return { kind: 'Unknown', message: `failed to list CRs of ${type.group}/${type.version}, Kind=${type.kind}: ${messageOf(error)}` };
    }
  };
