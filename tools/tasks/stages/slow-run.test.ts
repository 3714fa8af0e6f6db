import { expect, it } from '@jest/globals';
import { slowRunWarning } from './slow-run.ts';

const stages = (unit: number, integration: number) => [
  { name: 'unit', ms: unit * 1000 },
  { name: 'integration', ms: integration * 1000 },
];

it('a run of 30 minutes is fine', () => {
  expect(slowRunWarning(stages(900, 900), 1_800_000, 0)).toEqual([]);
});

it('a longer one names the stage that grew most, and by how much', () => {
  const text = slowRunWarning(stages(900, 901), 1_801_000, 0.2).join('\n');
  expect(text).toContain('SLOW: this run took 30.0 min, more than 30.0 min. The machine was quiet at the start.');
  expect(text).toContain('The stage that grew most is unit: 900 s');
});

it('reports that other work kept the machine busy', () => {
  expect(slowRunWarning(stages(100, 2_000), 2_100_000, 7.5).join('\n')).toContain('The machine was not quiet (load 7.5 at the start).');
});

it('a run is as long as its clock says, also when stages that ran at the same time took longer together', () => {
  expect(slowRunWarning(stages(900, 1_700), 1_800_000, 0)).toEqual([]);
});

it('static checks have grown only when they take longer than usual beside the unit tests', () => {
  const beside = (seconds: number) => [{ name: 'static', ms: seconds * 1000 }, ...stages(500, 500)];
  expect(slowRunWarning(beside(270), 1_900_000, 0).join('\n')).toContain('grew most is unit');
  expect(slowRunWarning(beside(500), 1_900_000, 0).join('\n')).toContain('grew most is static');
});
