/** AdvancedCronJob v1alpha1 <-> v1beta1 (spec/advancedcronjob.md 1): the same members, but for a template that v1alpha1 cannot say. */
import { converted, failed, membersAt, type Conversion, type Converter, type Members } from '../../conversion/converter.ts';

function fromHub(object: Members): Conversion {
  const template = membersAt(membersAt(object, 'spec'), 'template')['imageListPullJobTemplate'];
  if (template === undefined || template === null) return converted(object);
  return failed('imageListPullJobTemplate is not supported in v1alpha1');
}

/** Converts AdvancedCronJobs between v1alpha1 and v1beta1; pure, never writes to its input. @see spec/manager.md 4.8 */
export const converter: Converter = { group: 'apps.kruise.io', kind: 'AdvancedCronJob', toHub: converted, fromHub };
