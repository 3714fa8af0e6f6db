/** ResourceDistribution v1alpha1 <-> v1beta1 (spec/resourcedistribution.md 1): the namespace selector and the failed namespaces are renamed. */
import type { JsonObject } from '@kruise/objects';
import { converted, type Converter } from '../../conversion/converter.ts';
import { mapItems, mapMember, renameMember, withoutEmpty } from '../../members/nested-members.ts';

interface Names {
  readonly selector: string;
  readonly failed: string;
}
const alpha: Names = { selector: 'namespaceLabelSelector', failed: 'failedNamespace' };
const beta: Names = { selector: 'namespaceSelector', failed: 'failedNamespaces' };

/** The distributed resource itself is passed on unchanged, so that its bytes stay the same. */
const convert = (object: JsonObject, from: Names, to: Names): JsonObject =>
  mapMember(
    mapMember(object, 'spec', (spec) => mapMember(spec, 'targets', (targets) => convertTargets(targets, from, to))),
    'status',
    (status) => mapItems(status, 'conditions', (condition) => withoutEmpty(renameMember(condition, from.failed, to.failed), to.failed)),
  );

const convertTargets = (targets: JsonObject, from: Names, to: Names): JsonObject =>
  ['includedNamespaces', 'excludedNamespaces'].reduce(
    (result, name) => mapMember(result, name, (namespaces) => withoutEmpty(namespaces, 'list')),
    renameMember(targets, from.selector, to.selector),
  );

/** Converts ResourceDistributions between v1alpha1 and v1beta1; pure, never writes to its input. @see spec/manager.md 4.8 */
export const converter: Converter = {
  group: 'apps.kruise.io',
  kind: 'ResourceDistribution',
  toHub: (object) => converted(convert(object, alpha, beta)),
  fromHub: (object) => converted(convert(object, beta, alpha)),
};
