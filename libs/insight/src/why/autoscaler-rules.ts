/** Causes that HorizontalPodAutoscalers show: of themselves, and of the workloads that they scale. */
import { groupOf, memberAt, stringAt } from '@kruise/objects';
import { kindOf, type AnyObject } from '../seen.ts';
import { evidenceAt, fault, nameOf } from './cause.ts';
import { conditionOf, type ObjectRule } from './object-rule.ts';

const autoscaler = 'autoscaling/HorizontalPodAutoscaler';

const cannotScale: ObjectRule = (object) => {
  if (kindOf(object) !== autoscaler) return undefined;
  const condition = ['AbleToScale', 'ScalingActive'].map((type) => conditionOf(object, type, 'False')).find((found) => found !== undefined);
  if (condition === undefined || stringAt(condition, 'reason') === 'ScalingDisabled') return undefined;
  return fault(
    'AutoscalerCannotScale',
    `${nameOf(object)} cannot scale its target`,
    'Correct spec.scaleTargetRef, or provide metrics, as the message requires.',
    evidenceAt(object, `status.conditions[${stringAt(condition, 'type') ?? ''}]`, stringAt(condition, 'message') ?? ''),
  );
};

/** An autoscaler that names the object with the `apiVersion` of another kind, and says that it has no target. */
const stray: ObjectRule = (object, seen) => {
  const found = seen.all(autoscaler).find((one) => {
    const target = memberAt(one, 'spec', 'scaleTargetRef');
    const isOtherGroup = groupOf(stringAt(target, 'apiVersion') ?? '') !== groupOf(object.apiVersion ?? '');
    const isNamed = stringAt(target, 'kind') === object.kind && stringAt(target, 'name') === object.metadata.name;
    return isOtherGroup && isNamed && stringAt(conditionOf(one, 'AbleToScale', 'False'), 'reason') === 'FailedGetScale';
  });
  const apiVersion = stringAt(found, 'spec', 'scaleTargetRef', 'apiVersion') ?? '';
  return found === undefined
    ? undefined
    : fault(
        'AutoscalerCannotScale',
        `${nameOf(found)} is meant for ${nameOf(object)}, and refers to ${apiVersion}`,
        `Set spec.scaleTargetRef.apiVersion of ${nameOf(found)} to ${object.apiVersion}.`,
        evidenceAt(found, 'spec.scaleTargetRef.apiVersion', apiVersion),
      );
};

/** Two autoscalers set the same replicas in turn; one for a child works against the owner. */
const competing: ObjectRule = (object, seen) => {
  const autoscalersOf = (target: AnyObject): readonly AnyObject[] => seen.referringTo(autoscaler, target, 'scaleTargetRef');
  const [first, second] = autoscalersOf(object);
  if (first !== undefined && second !== undefined)
    return fault(
      'AutoscalersCompete',
      `${nameOf(first, 'HPA')} and ${nameOf(second, 'HPA')} both scale ${nameOf(object)}`,
      'Delete one of them.',
      [first, second].map((one) => evidenceAt(one, 'spec.scaleTargetRef', nameOf(object))),
    );
  for (const child of seen.ownedBy(object)) {
    const [other] = autoscalersOf(child);
    if (other !== undefined)
      return fault(
        'AutoscalersCompete',
        `${nameOf(other)} scales ${nameOf(child)}, whose replicas ${nameOf(object)} sets`,
        `Change its target to ${nameOf(object)}.`,
        evidenceAt(other, 'spec.scaleTargetRef', nameOf(child)),
      );
  }
  return undefined;
};

/** Every rule about autoscalers, the first cause first. */
export const autoscalerRules: readonly ObjectRule[] = [cannotScale, stray, competing];
