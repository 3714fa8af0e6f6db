import { describe, expect, it } from '@jest/globals';
import { advancedCronJobObstacle } from './rules.ts';

const oneTemplate = 'spec.template: Invalid value: must have one of jobTemplate, broadcastJobTemplate, imageListPullJobTemplate';

describe('an AdvancedCronJob that came past admission', () => {
  it.each<[unknown, string | undefined]>([
    [{ schedule: '@daily', template: { jobTemplate: {} } }, undefined],
    [undefined, 'spec: Required value: must be an object'],
    [null, 'spec: Required value: must be an object'],
    [{ schedule: 5, template: { jobTemplate: {} } }, 'spec.schedule: Invalid value: 5: must be a text'],
    [{ schedule: '@daily' }, oneTemplate],
    [{ schedule: '@daily', template: 'jobTemplate' }, oneTemplate],
    [{ schedule: '@daily', template: { jobTemplate: null } }, oneTemplate],
    [{ schedule: '@daily', template: { jobTemplate: {}, broadcastJobTemplate: {} } }, oneTemplate],
    [{ schedule: '@daily', template: { jobTemplate: null, broadcastJobTemplate: {} } }, undefined],
  ])('%j: %s', (spec, fault) => {
    expect(advancedCronJobObstacle({ spec })).toBe(fault);
  });
});
