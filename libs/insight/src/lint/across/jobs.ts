/** Jobs that pull images with Secrets that the files do not contain. @see spec/image-pulling.md 4 */
import { listAt } from '@kruise/objects';
import { finding } from '../findings/finding.ts';
import type { AcrossCheck, ChecksByKind } from './check.ts';

const pullSecrets: AcrossCheck = ({ object, namespace }, files) => {
  const count = files.of('', 'Secret', namespace).length;
  if (count === 0) return [];
  return listAt(object, 'spec', 'pullSecrets').flatMap((name, i) =>
    typeof name !== 'string' || files.find('', 'Secret', namespace, name) !== undefined
      ? []
      : [finding('KR204', `spec.pullSecrets[${i}]`, `Secret ${name} is not among the ${count} Secrets in the files`)],
  );
};

export const jobChecks: ChecksByKind = {
  'apps.kruise.io/ImageListPullJob': [pullSecrets],
  'apps.kruise.io/ImagePullJob': [pullSecrets],
};
