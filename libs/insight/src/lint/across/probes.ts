/** Probes of containers that the selected templates lack. @see spec/podprobemarker.md 4 */
import { memberAt, objectsAt, textAt } from '@kruise/objects';
import { finding } from '../findings/finding.ts';
import type { AcrossCheck, ChecksByKind } from './check.ts';
import { hasContainer, selectedBy } from './selectors.ts';

const containers: AcrossCheck = ({ object, namespace }, files) => {
  const selector = memberAt(object, 'spec', 'selector');
  const selected = selectedBy(selector, files.templatesFor(selector, namespace)) ?? [];
  return objectsAt(object, 'spec', 'probes').flatMap((probe, i) => {
    const name = textAt(probe, 'containerName');
    const without = selected.find((template) => !hasContainer(template, name, files));
    return without === undefined
      ? []
      : [finding('KR109', `spec.probes[${i}].containerName`, `${without.of.kind} ${without.of.name} has no container ${name}`)];
  });
};

export const probeChecks: ChecksByKind = { 'apps.kruise.io/PodProbeMarker': [containers] };
