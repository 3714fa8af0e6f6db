import { describe, expect, it } from '@jest/globals';
import type { Pod } from '@kruise/objects';
import { containersOf, hasRoomFor, marked, presenceIn, templateOf } from './template.ts';
import { aJob, aTarget, debug } from './testing.ts';

const job = aJob();
const mark = { name: 'KRUISE_EJOB_ID', value: 'uid-job' };
const holding = (...ephemeralContainers: readonly object[]): Pod => {
  const pod = aTarget('web');
  return { ...pod, spec: { ...pod.spec, ephemeralContainers: ephemeralContainers as never } };
};

describe('the containers of a template', () => {
  it.each<{ name: string; env: unknown }>([
    { name: 'no environment', env: undefined },
    { name: 'an environment of null', env: null },
    { name: 'an empty environment', env: [] },
    { name: 'variables', env: [{ name: 'A', value: 'b' }] },
  ])('may have $name', ({ env }) => {
    const containers = [{ ...debug, env }];
    expect(containersOf(aJob({ containers }))).toEqual(containers);
  });

  it('get the mark of the job behind their own environment, once, whatever the template says', () => {
    const own = { name: 'A', value: 'b' };
    expect(marked(debug, job)).toEqual({ ...debug, env: [mark] });
    expect(marked({ ...debug, env: [{ ...mark, value: 'of another' }, own] }, job)).toEqual({ ...debug, env: [own, mark] });
  });
});

describe('a container of a name of the template is', () => {
  it.each<{ name: string; container: object; then: object }>([
    { name: 'of the job when it has its mark', container: marked(debug, job), then: { own: true, foreign: false } },
    {
      name: 'of the job when it has its mark among others',
      container: { ...debug, env: [{ name: 'A', value: 'b' }, mark] },
      then: { own: true, foreign: false },
    },
    { name: 'foreign without an environment', container: debug, then: { own: false, foreign: true } },
    {
      name: 'foreign with the mark of another job',
      container: marked(debug, aJob({ name: 'other' })),
      then: { own: false, foreign: true },
    },
    {
      name: 'foreign when another variable holds the UID',
      container: { ...debug, env: [{ name: 'A', value: 'uid-job' }] },
      then: { own: false, foreign: true },
    },
    { name: 'neither, of another name', container: { ...debug, name: 'trace' }, then: { own: false, foreign: false } },
  ])('$name', ({ container, then }) => {
    expect(presenceIn(holding(container), job, templateOf([debug]))).toEqual(then);
  });
});

describe('a Pod has room', () => {
  const pod = aTarget('web');
  const withInit: Pod = { ...pod, spec: { ...pod.spec, initContainers: [{ name: 'init', image: 'init:1' }] } };
  it.each<{ name: string; containers: readonly object[]; then: boolean }>([
    { name: 'for names that are free', containers: [debug, { ...debug, name: 'trace' }], then: true },
    { name: 'not when one of the names is taken', containers: [debug, { ...debug, name: 'main' }], then: false },
    { name: 'not when an init container has the name', containers: [{ ...debug, name: 'init' }], then: false },
    { name: 'for one that looks into a container it has', containers: [{ ...debug, targetContainerName: 'main' }], then: true },
    { name: 'not for one that looks into a container it has not', containers: [{ ...debug, targetContainerName: 'app' }], then: false },
    { name: 'for one that looks into none', containers: [{ ...debug, targetContainerName: '' }], then: true },
  ])('$name', ({ containers, then }) => {
    expect(hasRoomFor(withInit, templateOf(containers as never))).toBe(then);
  });
});
