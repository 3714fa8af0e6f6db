/** Events of a Pod about the end of its sidecars. @see spec/sidecarterminator.md 2, 3, 5.7 */
import { describe, expect, it } from '@jest/globals';
import { aPod } from '@kruise/testing';
import { SidecarEvents } from './events.ts';

function recorded(): { readonly events: SidecarEvents; readonly reported: string[] } {
  const reported: string[] = [];
  const event = (target: { readonly name?: string; readonly metadata?: { readonly name: string } }, ...words: readonly string[]): void =>
    void reported.push([target.metadata?.name, ...words].join(' '));
  return { events: new SidecarEvents({ event }), reported };
}
const pod = aPod({ name: 'job' });

it('names the sidecars and how they are ended, at every try', () => {
  const { events, reported } = recorded();
  events.terminating(pod, ['log', 'proxy'], 'crr');
  events.terminating(pod, ['log'], 'in-place update');
  events.terminating(pod, ['log'], 'in-place update');
  const begin = 'job Normal SidecarTerminator Kruise SidecarTerminator is trying to terminate sidecar';
  expect(reported).toEqual([
    `${begin} [log proxy] using crr`,
    `${begin} [log] using in-place update`,
    `${begin} [log] using in-place update`,
  ]);
});

describe('a warning is given', () => {
  it('once for each topic', () => {
    const { events, reported } = recorded();
    for (const topic of ['unsupported', 'unanswered', 'gave up', 'unsupported', 'gave up'] as const)
      events.warn(pod, { topic, message: topic });
    expect(reported).toEqual([
      'job Warning SidecarTerminatorUnsupported unsupported',
      'job Warning SidecarTerminatorFailed unanswered',
      'job Warning SidecarTerminatorFailed gave up',
    ]);
  });

  it('again for another Pod, for a new one of the same name, and once the Pod was forgotten', () => {
    const { events, reported } = recorded();
    const warn = (to: typeof pod): void => events.warn(to, { topic: 'gave up', message: 'no' });
    warn(pod);
    warn(aPod({ name: 'other' }));
    warn(aPod({ name: 'job', uid: 'anew' }));
    warn(aPod({ name: 'job', uid: 'anew' }));
    expect(reported).toHaveLength(3);
    events.forget(pod);
    warn(aPod({ name: 'job', uid: 'anew' }));
    expect(reported).toHaveLength(4);
  });
});
