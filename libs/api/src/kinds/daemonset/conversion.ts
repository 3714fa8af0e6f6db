/** DaemonSet v1alpha1 <-> v1beta1 (spec/daemonset.md 1.1): a renamed status member, an annotation that became a field, and a removed type. */
import { changeMember, isJsonObject, membersAt, metadataValue, withMembers, withMetadataValues, type JsonObject } from '@kruise/objects';
import { converted, type Conversion, type Converter } from '../../conversion/converter.ts';
import { mapMember, renameMember } from '../../members/nested-members.ts';
import { daemonSetAnnotations } from './names.ts';

const rename = (object: JsonObject, from: string, to: string): JsonObject =>
  mapMember(object, 'status', (status) => renameMember(status, from, to));

/** v1alpha1's type Surging is Standard with maxSurge in v1beta1. */
const withoutSurging = (spec: JsonObject): JsonObject =>
  membersAt(membersAt(spec, 'updateStrategy'), 'rollingUpdate')['rollingUpdateType'] === 'Surging'
    ? changeMember(spec, 'updateStrategy', (strategy) =>
        changeMember(strategy, 'rollingUpdate', (rolling) => withMembers(rolling, { rollingUpdateType: 'Standard' })),
      )
    : spec;

function toHub(object: JsonObject): Conversion {
  const hub = rename(object, 'daemonSetHash', 'updateRevision');
  if (!isJsonObject(hub['spec'])) return converted(hub);
  const partitioned = metadataValue(object, 'annotations', daemonSetAnnotations.progressiveCreatePod) === 'true';
  const spec = withoutSurging(hub['spec']);
  return converted(
    withMembers(hub, {
      spec: partitioned ? changeMember(spec, 'scaleStrategy', (scale) => ({ ...scale, partitionedScaling: true })) : spec,
    }),
  );
}

/** Converts to v1alpha1. `scaleStrategy` is removed: its only member becomes the annotation, and false becomes its absence. */
function fromHub(object: JsonObject): Conversion {
  const alpha = rename(object, 'updateRevision', 'daemonSetHash');
  const spec = alpha['spec'];
  if (!isJsonObject(spec)) return converted(alpha);
  const partitioned = membersAt(spec, 'scaleStrategy')['partitionedScaling'] === true;
  const flat = withMembers(alpha, {
    spec: isJsonObject(spec['scaleStrategy']) ? changeMember(spec, 'scaleStrategy', withoutPartitionedScaling) : spec,
  });
  return converted(withMetadataValues(flat, 'annotations', partitioned ? { [daemonSetAnnotations.progressiveCreatePod]: 'true' } : {}));
}

const withoutPartitionedScaling = ({ partitionedScaling: _annotation, ...rest }: JsonObject): JsonObject => rest;

/** Converts DaemonSets between v1alpha1 and v1beta1; pure, never writes to its input. @see spec/manager.md 4.8 */
export const converter: Converter = { group: 'apps.kruise.io', kind: 'DaemonSet', toHub, fromHub };
