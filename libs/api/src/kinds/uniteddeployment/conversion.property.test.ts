/* eslint-disable @typescript-eslint/no-explicit-any, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-argument -- the normal forms take generated JSON apart and put it together, member by member */
import { describe } from '@jest/globals';
import type { JsonObject } from '@kruise/objects';
import { agreed, itConvertsLosslessly } from '../../conversion/round-trip.testing.ts';
import { normalizeCloneSetTemplate } from '../cloneset/cloneset-to-hub.ts';
import { converter } from './conversion.ts';
import { declaration } from './schema.ts';

/** JSON that is changed in place. */
type Loose = any;
type Agree = (object: Loose) => void;

/** A CloneSet template in the form of v1alpha1 is returned in that of v1beta1; the form itself is tested by example. */
const normalizeTemplate: Agree = ({ template }) => {
  if (template?.cloneSetTemplate !== undefined)
    template.cloneSetTemplate = normalizeCloneSetTemplate(template.cloneSetTemplate as JsonObject);
};

const unitedDeploymentHub: Agree = ({ spec, status }) => {
  normalizeTemplate(spec);
  if (status?.updatedRevision === '' && (status.subsetStatuses ?? []).length === 0) delete status.updatedRevision;
};

/** The maps by subset and the list of subsets are equal; the maps take precedence. */
const unitedDeploymentAlpha: Agree = ({ spec, status }) => {
  normalizeTemplate(spec);
  if (status === undefined) return;
  const { subsetReplicas = {}, updateStatus = {} } = status;
  const { currentPartitions = {} } = updateStatus;
  const list: Loose[] = status.subsetStatuses ?? [];
  for (const [member, values] of [
    ['replicas', subsetReplicas],
    ['partition', currentPartitions],
  ]) {
    for (const name of Object.keys(values).sort()) {
      let entry = list.find((candidate) => candidate.name === name);
      if (entry === undefined) list.push((entry = { name, [member]: values[name] }));
      if ((entry[member] ?? 0) !== values[name]) entry[member] = values[name];
    }
  }
  if (list.length > 0) status.subsetStatuses = list;
  delete status.subsetReplicas;
  delete updateStatus.currentPartitions;
  const named = list.filter(({ name }) => name !== undefined && name !== '');
  if (named.length > 0) {
    const first = named.filter(({ name }, at) => named.findIndex((other) => other.name === name) === at);
    status.subsetReplicas = Object.fromEntries(first.map(({ name, replicas }) => [name, replicas ?? 0]));
    updateStatus.currentPartitions = Object.fromEntries(first.map(({ name, partition }) => [name, partition ?? 0]));
  }
  delete status.updateStatus;
  if (list.length > 0 || (updateStatus.updatedRevision ?? '') !== '') status.updateStatus = updateStatus;
};

describe('conversion of UnitedDeployments', () => {
  itConvertsLosslessly({
    declaration,
    converter,
    hints: { type: ['RollingUpdate', 'OnDelete', 'ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'], name: ['a', 'b'] },
    equalAlpha: agreed(unitedDeploymentAlpha),
    equalBeta: agreed(unitedDeploymentHub),
  });
});
