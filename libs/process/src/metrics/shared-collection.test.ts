import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '@kruise/kube/testing';
import { milliseconds } from '@kruise/objects';
import { SharedCollection } from './shared-collection.ts';

/** A source that takes so long, and answers how many times it was asked. */
function source(clock: FakeClock, takesMs: number) {
  let times = 0;
  return async () => {
    const mine = ++times;
    await clock.sleep(milliseconds(takesMs));
    return `n ${mine}\n`;
  };
}

describe('metrics that many ask for', () => {
  it('are collected once for all who ask at a time, and compressed once', async () => {
    const clock = new FakeClock();
    const collection = new SharedCollection(source(clock, 10), clock);
    const both = Promise.all([collection.collect(), collection.collect()]);
    await clock.step(10);
    const [one, other] = await both;
    expect(one).toBe(other);
    expect(one.plain.toString()).toBe('n 1\n');
    const compressed = one.compressed();
    expect(one.compressed()).toBe(compressed);
    expect(gunzipSync(await compressed).toString()).toBe('n 1\n');
  });

  it('are collected again for who asks while they are collected, after a pause of four times what that took', async () => {
    const clock = new FakeClock();
    const collection = new SharedCollection(source(clock, 10), clock);
    const first = collection.collect();
    await clock.step(0);
    const second = collection.collect();
    let isThere = false;
    void second.then(() => (isThere = true));
    await clock.step(10);
    await first;
    await clock.step(49);
    expect(isThere).toBe(false);
    await clock.step(1);
    expect((await second).plain.toString()).toBe('n 2\n');
  });

  it('wait 1 s at most for the next collection', async () => {
    const clock = new FakeClock();
    const collection = new SharedCollection(source(clock, 5000), clock);
    const first = collection.collect();
    await clock.step(5000);
    await first;
    const second = collection.collect();
    await clock.step(1000);
    await clock.step(5000);
    expect((await second).plain.toString()).toBe('n 2\n');
  });

  it('fail for those who asked, and are collected again', async () => {
    const clock = new FakeClock();
    let fails = true;
    const collection = new SharedCollection(() => (fails ? Promise.reject(new Error('no thread')) : Promise.resolve('n 1\n')), clock);
    await expect(collection.collect()).rejects.toThrow('no thread');
    fails = false;
    expect((await collection.collect()).plain.toString()).toBe('n 1\n');
  });
});
