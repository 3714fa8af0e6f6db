import { apiVersionOf, instant } from '@kruise/objects';
import { describe, expect, it } from '@jest/globals';
import { coreEvents, eventName, fittingMessage, longestMessage, newEvent, referenceTo } from './core-event.ts';

describe('a new event', () => {
  it('equals what the API server stores of a core/v1 event', () => {
    const about = referenceTo({
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'CloneSet',
      metadata: { name: 'web', namespace: 'prod', uid: 'u1', resourceVersion: '7', labels: { a: 'b' } },
    });
    const facts = {
      about: about ?? { kind: '', name: '' },
      type: 'Normal',
      reason: 'SuccessfulCreate',
      message: 'succeed to create pod web-x',
      component: 'cloneset-controller',
    } as const;
    expect(newEvent(facts, instant(Date.parse('2025-01-01T00:00:00.999Z')), 5)).toStrictEqual({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'web.1816687efbe287c5', namespace: 'prod' },
      involvedObject: {
        apiVersion: 'apps.kruise.io/v1beta1',
        kind: 'CloneSet',
        name: 'web',
        namespace: 'prod',
        uid: 'u1',
        resourceVersion: '7',
      },
      reason: 'SuccessfulCreate',
      message: 'succeed to create pod web-x',
      source: { component: 'cloneset-controller' },
      firstTimestamp: '2025-01-01T00:00:00Z',
      lastTimestamp: '2025-01-01T00:00:00Z',
      count: 1,
      type: 'Normal',
      reportingComponent: 'cloneset-controller',
      reportingInstance: '',
    });
  });

  it.each([
    ['a Node', { kind: 'Node', name: 'n1' }],
    ['an empty namespace', { kind: 'Node', name: 'n1', namespace: '' }],
  ])('about %s is in namespace default and refers to no namespace that does not exist', (_name, about) => {
    const event = newEvent({ about, type: 'Warning', reason: 'R', message: '', component: 'c', host: 'h' }, instant(0), 0);
    expect(event.metadata.namespace).toBe('default');
    expect(event.involvedObject).toBe(about);
    expect([event.source, event.reportingInstance]).toEqual([{ component: 'c', host: 'h' }, 'h']);
  });

  it('has the kind of its resource', () => {
    const event = newEvent({ about: { kind: 'Pod', name: 'a' }, type: 'Normal', reason: '', message: '', component: '' }, instant(0), 0);
    expect([apiVersionOf(coreEvents), coreEvents.kind]).toEqual([event.apiVersion, event.kind]);
    expect([coreEvents.plural, coreEvents.namespaced]).toEqual(['events', true]);
  });

  it('needs an object with a kind and a name', () => {
    expect(referenceTo({ metadata: { name: 'a' } })).toBeUndefined();
    expect(referenceTo({ kind: 'Pod', name: '' })).toBeUndefined();
    expect(referenceTo({ kind: 'Pod', metadata: { name: 'a' } })).toStrictEqual({ kind: 'Pod', name: 'a' });
  });
});

describe('its name', () => {
  it('differs within a millisecond and stays a valid name however long that of the object is', () => {
    expect(eventName('a', instant(1), 1)).not.toBe(eventName('a', instant(1), 2));
    const name = eventName(`${'x'.repeat(235)}.${'y'.repeat(17)}`, instant(Date.parse('2025-01-01T00:00:00Z')), 0);
    expect(name.length).toBeLessThanOrEqual(253);
    expect(name).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
  });

  it.each([
    ['my-object.v1', 'my-object.v1'],
    [`${'x'.repeat(234)}--${'y'.repeat(17)}`, 'x'.repeat(234)],
    [`${'x'.repeat(200)}-a${'y'.repeat(60)}`, `${'x'.repeat(200)}-a${'y'.repeat(34)}`],
  ])('begins with the part of %s that fits', (objectName, begin) => {
    const at = instant(Date.parse('2025-01-01T00:00:00Z'));
    expect(eventName(objectName, at, 0)).toBe(`${begin}.${eventName('', at, 0).slice(1)}`);
  });
});

describe('its message', () => {
  it('is cut at 1024 bytes, between characters', () => {
    expect(fittingMessage('x'.repeat(longestMessage))).toBe('x'.repeat(longestMessage));
    expect(fittingMessage('x'.repeat(longestMessage + 1))).toBe(`${'x'.repeat(longestMessage - 3)}...`);
    const cut = fittingMessage('ü'.repeat(longestMessage));
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(longestMessage);
    expect(cut).toMatch(/^ü+\.\.\.$/);
  });

  it.each(['\u20ac', '\u{1f600}'])('keeps a replacement character of the message itself, and %j whole', (character) => {
    const size = Buffer.byteLength(character);
    for (let before = 0; before < size; before++) {
      const begin = `\uFFFD${'x'.repeat(before)}`;
      const whole = Math.floor((longestMessage - 3 - Buffer.byteLength(begin)) / size);
      expect(fittingMessage(begin + character.repeat(longestMessage))).toBe(`${begin}${character.repeat(whole)}...`);
    }
  });
});
