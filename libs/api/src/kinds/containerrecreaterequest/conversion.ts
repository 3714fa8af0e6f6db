/**
 * ContainerRecreateRequest v1alpha1 <-> v1beta1 (spec/containerrecreaterequest.md 1): two annotations of v1alpha1 are in the status of v1beta1. Other
 * conditions, which v1alpha1 lacks, are carried through it in one more annotation.
 */
import {
  formatTime,
  isJsonObject,
  membersAt,
  metadataValue,
  parseJsonText,
  parseTime,
  stringifyLossless,
  withMembers,
  withMetadataValues,
  type JsonObject,
} from '@kruise/objects';
import { converted, type Conversion, type Converter } from '../../conversion/converter.ts';
import { carryHubMembers, takeHubMembers } from '../../conversion/hub-members.ts';
import { mapMember } from '../../members/nested-members.ts';
import { conforms } from '../../schema/conforms.ts';
import { conditionReasons, conditionTypes } from '../../well-known.ts';
import { containerRecreateRequestAnnotations } from './names.ts';
import { hubConditions } from './schema.ts';

/** Message of the condition PreRecreateGrace. */
export const preRecreateGraceMessage = 'Pod has been forced to not-ready for unreadyGracePeriodSeconds drain';

/** Returns the condition with the time since when a Pod is kept not ready; `at` is RFC 3339. */
const preRecreateGrace = (at: string): JsonObject => ({
  type: conditionTypes.preRecreateGrace,
  status: 'True',
  lastTransitionTime: at,
  reason: conditionReasons.preRecreateGrace,
  message: preRecreateGraceMessage,
});

const isGrace = (condition: unknown): condition is JsonObject =>
  isJsonObject(condition) && condition['type'] === conditionTypes.preRecreateGrace;
const isHeld = (condition: unknown): boolean => isGrace(condition) && condition['status'] === 'True';

/**
 * Converts to v1beta1. An annotation is removed once its content is in the status. It stays when there is no status, because a new one would lack the
 * phase that v1beta1 requires. An unreadable one stays, so that its author can find it.
 */
function toHub(object: JsonObject): Conversion {
  const { carried, object: uncarried } = takeHubMembers(object);
  const snapshot = parseSnapshot(metadataValue(uncarried, 'annotations', containerRecreateRequestAnnotations.syncContainerStatuses));
  const { conditions: others } = membersAt(carried, 'status');
  const conditions = conditionsOfHub(uncarried, conforms(hubConditions.json, others) ? others : undefined);
  const filled = mapMember(uncarried, 'status', (status) =>
    withMembers(status, {
      ...(snapshot === undefined ? {} : { containerStatusSnapshot: snapshot }),
      ...(conditions === undefined ? {} : { conditions }),
    }),
  );
  const recorded = {
    ...(snapshot === undefined ? {} : { [containerRecreateRequestAnnotations.syncContainerStatuses]: undefined }),
    ...(acquiredAt(uncarried) === undefined ? {} : { [containerRecreateRequestAnnotations.unreadyAcquired]: undefined }),
  };
  return converted(withMetadataValues(filled, 'annotations', recorded));
}

const acquiredAt = (alpha: JsonObject): string | undefined =>
  parseRfc3339(metadataValue(alpha, 'annotations', containerRecreateRequestAnnotations.unreadyAcquired));

/** Returns the conditions. The annotation decides about PreRecreateGrace, the carried conditions about all others. */
function conditionsOfHub(alpha: JsonObject, carried: unknown): readonly unknown[] | undefined {
  const at = acquiredAt(alpha);
  const own = membersAt(alpha, 'status')['conditions'];
  const known: readonly unknown[] | undefined = Array.isArray(own) ? own : Array.isArray(carried) ? carried : undefined;
  if (at === undefined) return known?.filter((condition) => !isHeld(condition));
  const list = known ?? [];
  if (heldSince(list) === at) return list;
  const others = list.filter((condition) => !isGrace(condition));
  return [...others, preRecreateGrace(at)];
}

const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** Returns the time in UTC with whole seconds; undefined when it is no RFC 3339 time. */
function parseRfc3339(text: string | undefined): string | undefined {
  if (text === undefined || !rfc3339.test(text)) return undefined;
  const at = parseTime(text);
  return at === undefined ? undefined : formatTime(at);
}

/** Returns the list in the form of v1beta1; undefined for text that is no such list. */
function parseSnapshot(text: string | undefined): readonly JsonObject[] | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    const items: unknown = parseJsonText(text);
    if (!Array.isArray(items)) return undefined;
    const states = items.map(snapshotItem);
    return states.every((state) => state !== undefined) ? states : undefined;
  } catch {
    return undefined;
  }
}

function snapshotItem(item: unknown): JsonObject | undefined {
  if (!isJsonObject(item)) return undefined;
  const { name, ready = false, restartCount = 0, containerID = '' } = item;
  const fits = typeof name === 'string' && typeof ready === 'boolean' && Number.isInteger(restartCount) && typeof containerID === 'string';
  return fits ? { name, ready, restartCount, ...(containerID === '' ? {} : { containerID }) } : undefined;
}

function fromHub(object: JsonObject): Conversion {
  const { containerStatusSnapshot: snapshot, conditions } = membersAt(object, 'status');
  const values: Record<string, string> = {};
  if (Array.isArray(snapshot)) values[containerRecreateRequestAnnotations.syncContainerStatuses] = formatSnapshot(snapshot);
  const at = heldSince(conditions);
  if (at !== undefined) values[containerRecreateRequestAnnotations.unreadyAcquired] = at;
  const alpha = mapMember(object, 'status', (status) =>
    withMembers(status, {
      ...(Array.isArray(snapshot) ? { containerStatusSnapshot: undefined } : {}),
      ...(Array.isArray(conditions) ? { conditions: undefined } : {}),
    }),
  );
  const carried =
    Array.isArray(conditions) && !isReported(conditions, at) ? { status: { conditions: conditions as readonly unknown[] } } : {};
  return converted(carryHubMembers(withMetadataValues(alpha, 'annotations', values), carried));
}

function heldSince(conditions: unknown): string | undefined {
  const condition: unknown = Array.isArray(conditions) ? conditions.find(isHeld) : undefined;
  const at = isJsonObject(condition) ? condition['lastTransitionTime'] : undefined;
  return typeof at === 'string' ? parseRfc3339(at) : undefined;
}

/** Returns whether the annotation alone contains these conditions completely. */
function isReported(conditions: readonly unknown[], at: string | undefined): boolean {
  if (conditions.length === 0) return true;
  if (at === undefined || conditions.length !== 1 || !isJsonObject(conditions[0])) return false;
  const recorded = preRecreateGrace(at);
  const actual = conditions[0];
  return (
    Object.keys(actual).length === Object.keys(recorded).length && Object.keys(recorded).every((name) => recorded[name] === actual[name])
  );
}

/** Returns members in a fixed order; an empty containerID is omitted. */
const formatSnapshot = (snapshot: readonly unknown[]): string =>
  stringifyLossless(
    snapshot.filter(isJsonObject).map(({ name, ready, restartCount, containerID }) => ({
      name,
      ready,
      restartCount,
      ...(typeof containerID === 'string' && containerID !== '' ? { containerID } : {}),
    })),
  );

/** Converts ContainerRecreateRequests between v1alpha1 and v1beta1; pure, never writes to its input. @see spec/manager.md 4.8 */
export const converter: Converter = { group: 'apps.kruise.io', kind: 'ContainerRecreateRequest', toHub, fromHub };
