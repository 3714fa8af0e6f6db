/**
 * Warnings about a UnitedDeployment that is allowed but fails at run time or is probably a mistake: shown, never refused. @see
 * spec/uniteddeployment.md 8
 */
import {
  applyStrategicMergePatch,
  isJsonObject,
  memberAt,
  podTemplateSpecPatchSchema,
  workloadLimits,
  type JsonObject,
} from '@kruise/objects';
import { PatchTrials } from '../../validation/patch-trials.ts';
import type { KindRule } from '../../validation/kind-rules.ts';
import { unitedTemplateNames } from './template-names.ts';

/** A revision's name is that of the UnitedDeployment, `-` and up to ten characters, and a label of Pods, which may have 63. */
const maxNameLength = 52;

type Warn = (object: JsonObject) => readonly string[];

/** Warns of a name that leaves no room for the hash of a revision. */
export const longName: Warn = (object) => {
  const name = memberAt(object, 'metadata', 'name');
  return typeof name === 'string' && name.length > maxNameLength
    ? [`metadata.name: longer than ${String(maxNameLength)} characters, so that names of revisions may be too long for the labels of Pods`]
    : [];
};

/** Warns that Deployments have no partition. */
const idlePartitions: Warn = (object) => {
  const partitions = memberAt(object, 'spec', 'updateStrategy', 'manualUpdate', 'partitions');
  const isUsed = isJsonObject(partitions) && Object.values(partitions).some((value) => value !== 0);
  return isUsed && isJsonObject(memberAt(object, 'spec', 'template', 'deploymentTemplate'))
    ? ['spec.updateStrategy.manualUpdate.partitions: has no effect on Deployments, which update all of their Pods']
    : [];
};

const noSubsets: Warn = (object) => {
  const replicas = memberAt(object, 'spec', 'replicas');
  const subsets = memberAt(object, 'spec', 'topology', 'subsets') ?? [];
  return typeof replicas === 'number' && replicas > 0 && Array.isArray(subsets) && subsets.length === 0
    ? ['spec.topology.subsets: empty, so that no Pod is created; workloads of former subsets stay as they are']
    : [];
};

const podTemplateOf = (object: JsonObject): unknown => {
  const name = unitedTemplateNames.find((one) => isJsonObject(memberAt(object, 'spec', 'template', one)));
  return name === undefined ? undefined : memberAt(object, 'spec', 'template', name, 'spec', 'template');
};

/** Returns why no workload can be created with a patch; '' when one can. */
function refusalOf(template: JsonObject, patch: JsonObject): string {
  const patched = applyStrategicMergePatch(template, patch, podTemplateSpecPatchSchema);
  return patched.kind === 'Refused' ? patched.why : '';
}

function uselessPatch(patch: JsonObject, path: string, refusal: string): readonly string[] {
  if (refusal !== '') return [`${path}: ${refusal}; no workload can be made for the subset`];
  const strange = Object.keys(patch).filter((name) => name !== 'metadata' && name !== 'spec' && !name.startsWith('$'));
  return strange.length === 0 ? [] : [`${path}: ${strange.join(', ')} is not part of a Pod template, which has metadata and spec`];
}

const uselessPatches: Warn = (object) => {
  const template = podTemplateOf(object);
  const subsets = memberAt(object, 'spec', 'topology', 'subsets');
  if (!isJsonObject(template) || !Array.isArray(subsets)) return [];
  const bound = workloadLimits.triedBytesOfUnited.value;
  const trials = new PatchTrials<string>(template, bound);
  const found = subsets.flatMap((subset: unknown, i) => {
    const patch = memberAt(subset, 'patch');
    if (!isJsonObject(patch)) return [];
    const refusal = trials.result(patch, () => refusalOf(template, patch)) ?? '';
    return uselessPatch(patch, `spec.topology.subsets[${String(i)}].patch`, refusal);
  });
  const { untried } = trials;
  const most = `${String(bound >> 20)} MiB`;
  return untried === 0
    ? found
    : [
        ...found,
        `spec.topology.subsets: ${String(untried)} patches were not tried on the template: together with it, all patches have more than ${most}`,
      ];
};

/** The warnings after that about the replicas, in the order in which they are shown. */
export const warnings: readonly KindRule[] = [idlePartitions, noSubsets, uselessPatches].map((warn) => ({ warn }));
