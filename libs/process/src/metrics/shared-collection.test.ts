import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '@kruise/kube/testing';
import { milliseconds } from '@kruise/objects';
import { SharedCollection } from './shared-collection.ts';

/** Returns a source that takes this long, and answers how many times it was called. */
function source(clock: FakeClock, takesMs: number) {
  let times = 0;
  return async () => {
    const mine = ++times;
    await clock.sleep(milliseconds(takesMs));
    return `n ${mine}\n`;
  };
}

describe('metrics that many clients request', () => {
  it('are collected once for all parallel requests, and compressed once', async () => {
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

  it('are collected again for requests during a collection, after a pause of four times its duration', async () => {
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

  it('fail for their requests, and are collected again', async () => {
    const clock = new FakeClock();
    let fails = true;
    const collection = new SharedCollection(() => (fails ? Promise.reject(new Error('no thread')) : Promise.resolve('n 1\n')), clock);
    await expect(collection.collect()).rejects.toThrow('no thread');
    fails = false;
    expect((await collection.collect()).plain.toString()).toBe('n 1\n');
  });
});
