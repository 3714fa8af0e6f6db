/** Faults of the update strategies of DaemonSets, each rule with and without its fault. @see spec/daemonset.md 4.2 */
import { describe, expect, it } from '@jest/globals';
import { formatFieldError, type JsonObject } from '@kruise/objects';
import { having, onDelete, rolling, rollingBy, validation, versions } from './admission.testing.ts';
import type { DaemonSetVersion } from './defaults.ts';
import { validateDaemonSet } from './rules.ts';

const faultsOf = (object: JsonObject, version: DaemonSetVersion = 'v1beta1'): readonly string[] =>
  validateDaemonSet(object, validation(version)).map(formatFieldError);
const noLimit = `${rolling}.maxUnavailable: Required value: cannot be 0 when maxSurge is 0`;
const noNumber = 'must be an integer or a percentage (e.g. 1 or "20%")';
const noWholePercentage = 'must be an integer or a whole percentage (e.g. 1 or "20%")';
const bothLimits = (value: string): string =>
  `${rolling}.maxSurge: Invalid value: ${value}: may not be set when maxUnavailable is non-zero`;

describe('an update strategy', () => {
  it.each<{ name: string; object: JsonObject }>([
    { name: 'may take one node after the other', object: rollingBy({ maxUnavailable: 1, maxSurge: 0 }) },
    { name: 'needs no type of rolling updates', object: rollingBy({ maxUnavailable: 1, rollingUpdateType: '' }) },
    { name: 'may take a part of all nodes at a time', object: rollingBy({ maxUnavailable: '20%' }) },
    { name: 'may take all nodes at a time', object: rollingBy({ maxUnavailable: '100%' }) },
    { name: 'may let new Pods come first', object: rollingBy({ maxSurge: 1, maxUnavailable: 0 }) },
    { name: 'may let new Pods come first on a part of all nodes', object: rollingBy({ maxSurge: '100%', maxUnavailable: '0%' }) },
    { name: 'may have a surge beside a text, which counts as 0', object: rollingBy({ maxSurge: 1, maxUnavailable: 'none' }) },
    { name: 'may have a surge beside a numeral of 0', object: rollingBy({ maxSurge: 1, maxUnavailable: '-0' }) },
    { name: 'may be in place', object: rollingBy({ maxUnavailable: 1, maxSurge: '0%', rollingUpdateType: 'InPlaceIfPossible' }) },
    { name: 'may keep no node back', object: rollingBy({ maxUnavailable: 1, partition: 0 }) },
    { name: 'may keep all nodes back', object: rollingBy({ maxUnavailable: 1, partition: '100%' }) },
    { name: 'may keep more nodes back than there are', object: rollingBy({ maxUnavailable: 1, partition: 5000 }) },
    { name: 'may choose nodes by an illegal selector', object: rollingBy({ maxUnavailable: 1, selector: { matchLabels: { '!': '!' } } }) },
    { name: 'may leave updates to the user that deletes Pods', object: onDelete() },
    { name: 'has no limits to validate with OnDelete', object: onDelete({ maxUnavailable: -1, maxSurge: 1, rollingUpdateType: 'X' }) },
  ])('$name', ({ object }) => {
    for (const version of versions) expect(faultsOf(object, version)).toEqual([]);
  });

  it.each<{ name: string; object: JsonObject; faults: readonly string[] }>([
    {
      name: 'must be there, and its type',
      object: having('spec.updateStrategy', undefined),
      faults: ['spec.updateStrategy: Unsupported value: "": supported values: "RollingUpdate", "OnDelete"'],
    },
    {
      name: 'has one of the two types',
      object: having('spec.updateStrategy', { type: 'Ondelete' }),
      faults: [
        'spec.updateStrategy: Unsupported value: "Ondelete": supported values: "RollingUpdate", "OnDelete"; did you mean "OnDelete"?',
      ],
    },
    {
      name: 'has its settings when the type is RollingUpdate',
      object: rollingBy(undefined),
      faults: [`${rolling}: Required value`],
    },
    { name: 'is not without limits', object: rollingBy({}), faults: [noLimit] },
    { name: 'does not have two limits of 0', object: rollingBy({ maxUnavailable: 0, maxSurge: '000%' }), faults: [noLimit] },
    { name: 'does not have a limit of no percent alone', object: rollingBy({ maxUnavailable: '0%' }), faults: [noLimit] },
    {
      name: 'does not have two limits',
      object: rollingBy({ maxUnavailable: 1, maxSurge: 1 }),
      faults: [bothLimits('1')],
    },
    {
      name: 'does not have two limits in percent',
      object: rollingBy({ maxUnavailable: '1%', maxSurge: '2%' }),
      faults: [bothLimits('"2%"')],
    },
    {
      name: 'has no negative maxUnavailable',
      object: rollingBy({ maxUnavailable: -1 }),
      faults: [`${rolling}.maxUnavailable: Invalid value: -1: must be greater than or equal to 0`],
    },
    {
      name: 'has no negative maxSurge',
      object: rollingBy({ maxSurge: -1 }),
      faults: [`${rolling}.maxSurge: Invalid value: -1: must be greater than or equal to 0`],
    },
    {
      name: 'takes no more than all nodes',
      object: rollingBy({ maxUnavailable: '101%' }),
      faults: [`${rolling}.maxUnavailable: Invalid value: "101%": must not be greater than 100%`],
    },
    {
      name: 'surges on no more than all nodes',
      object: rollingBy({ maxSurge: '101%' }),
      faults: [`${rolling}.maxSurge: Invalid value: "101%": must not be greater than 100%`],
    },
    {
      name: 'has no numeral for a number',
      object: rollingBy({ maxUnavailable: '5' }),
      faults: [`${rolling}.maxUnavailable: Invalid value: "5": ${noWholePercentage}`],
    },
    {
      name: 'has no numeral for a number, whatever its sign',
      object: rollingBy({ maxSurge: '-10' }),
      faults: [`${rolling}.maxSurge: Invalid value: "-10": ${noWholePercentage}`],
    },
    {
      name: 'has no words for its only limit',
      object: rollingBy({ maxUnavailable: 'some1' }),
      faults: [`${noLimit}; "some1" is not a whole percentage and counts as 0`],
    },
    {
      name: 'has no fraction of a percent for its only limit',
      object: rollingBy({ maxUnavailable: '33.3%' }),
      faults: [`${noLimit}; "33.3%" is not a whole percentage and counts as 0`],
    },
    {
      name: 'has no words for its only surge',
      object: rollingBy({ maxSurge: 'some' }),
      faults: [noLimit],
    },
    {
      name: 'has limits of the right type of JSON',
      object: rollingBy({ maxUnavailable: [] }),
      faults: [`${rolling}.maxUnavailable: Invalid value: []: ${noNumber}`],
    },
    {
      name: 'has no surge in place',
      object: rollingBy({ maxSurge: 1, rollingUpdateType: 'InPlaceIfPossible' }),
      faults: [`${rolling}.maxSurge: Required value: must be 0 for InPlaceIfPossible type`],
    },
    {
      name: 'has a whole number of nodes that are kept back',
      object: rollingBy({ maxUnavailable: 1, partition: 1.5 }),
      faults: [`${rolling}.partition: Invalid value: 1.5: ${noNumber}`],
    },
    {
      name: 'keeps no negative number of nodes back',
      object: rollingBy({ maxUnavailable: 1, partition: -1 }),
      faults: [`${rolling}.partition: Invalid value: -1: must be greater than or equal to 0`],
    },
    {
      name: 'keeps no more than all nodes back',
      object: rollingBy({ maxUnavailable: 1, partition: '150%' }),
      faults: [`${rolling}.partition: Invalid value: "150%": must not be greater than 100%`],
    },
    {
      name: 'has no words for a partition',
      object: rollingBy({ maxUnavailable: 1, partition: 'half' }),
      faults: [`${rolling}.partition: Invalid value: "half": ${noWholePercentage}`],
    },
    {
      name: 'is an object',
      object: having('spec.updateStrategy', 'RollingUpdate'),
      faults: ['spec.updateStrategy: Invalid value: "RollingUpdate": must be an object'],
    },
    {
      name: 'has a type in words',
      object: having('spec.updateStrategy', { type: 7 }),
      faults: ['spec.updateStrategy.type: Invalid value: 7: must be a string'],
    },
    {
      name: 'has settings in an object, with OnDelete as well',
      object: having('spec.updateStrategy', { type: 'OnDelete', rollingUpdate: 7 }),
      faults: [`${rolling}: Invalid value: 7: must be an object`],
    },
    { name: 'has settings in an object', object: rollingBy([]), faults: [`${rolling}: Invalid value: []: must be an object`] },
    {
      name: 'has settings of the right types, each reported once',
      object: rollingBy({ maxUnavailable: 1, paused: 'yes', rollingUpdateType: 7, selector: 'all' }),
      faults: [
        `${rolling}.paused: Invalid value: "yes": must be true or false`,
        `${rolling}.rollingUpdateType: Invalid value: 7: must be a string`,
        `${rolling}.selector: Invalid value: "all": must be an object`,
      ],
    },
  ])('$name', ({ object, faults }) => {
    for (const version of versions) expect(faultsOf(object, version)).toEqual(faults);
  });
});

describe('the types of rolling updates', () => {
  const surging = (settings: JsonObject): JsonObject => rollingBy({ rollingUpdateType: 'Surging', ...settings });
  const supported = (...types: readonly string[]): string => `supported values: ${types.map((type) => JSON.stringify(type)).join(', ')}`;

  it.each<{ name: string; object: JsonObject; version: DaemonSetVersion; faults: readonly string[] }>([
    { name: 'Surging is one in v1alpha1', object: surging({ maxSurge: 1 }), version: 'v1alpha1', faults: [] },
    {
      name: 'Surging leaves no node without a Pod',
      object: surging({ maxUnavailable: 1 }),
      version: 'v1alpha1',
      faults: [`${rolling}.maxUnavailable: Required value: must be 0 for Surging type`],
    },
    {
      name: 'Surging is none in v1beta1',
      object: surging({ maxSurge: 1 }),
      version: 'v1beta1',
      faults: [`${rolling}.rollingUpdateType: Unsupported value: "Surging": ${supported('Standard', 'InPlaceIfPossible')}`],
    },
    {
      name: 'others are none in v1alpha1',
      object: rollingBy({ maxUnavailable: 1, rollingUpdateType: 'X' }),
      version: 'v1alpha1',
      faults: [`${rolling}.rollingUpdateType: Unsupported value: "X": ${supported('Standard', 'Surging', 'InPlaceIfPossible')}`],
    },
    {
      name: 'others are none in v1beta1',
      object: rollingBy({ maxUnavailable: 1, rollingUpdateType: 'InPlaceOnly' }),
      version: 'v1beta1',
      faults: [expect.stringContaining(`"InPlaceOnly": ${supported('Standard', 'InPlaceIfPossible')}`) as unknown as string],
    },
  ])('$name', ({ object, version, faults }) => expect(faultsOf(object, version)).toEqual(faults));
});
