import { describe, expect, it } from '@jest/globals';
import { configMaps, milliseconds } from '@kruise/objects';
import { FakeClock } from '../clock/fake-clock.ts';
import { FakeApi } from './fake-api.ts';
import { quietHour } from './quiet-hour.ts';

const clock = (): FakeClock => new FakeClock(Date.UTC(2026, 0, 1) as ReturnType<FakeClock['now']>);
const named = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name } }) as const;

describe('a quiet hour', () => {
  it('is one in which only the surroundings change', async () => {
    const time = clock();
    const api = new FakeApi({ clock: time });
    let turns = 0;
    const turn = (): Promise<void> => Promise.resolve(void api.seed(configMaps, named(`turn-${turns++}`)));
    expect(await quietHour({ api, clock: time, turn })).toEqual([]);
    expect(turns).toBe(360);
  });

  it('lists what a late timer writes, and only that', async () => {
    const time = clock();
    const api = new FakeApi({ clock: time });
    await api.create(configMaps, named('before'));
    const late = time.sleep(milliseconds(3_599_000)).then(() => api.create(configMaps, named('late')));
    expect(await quietHour({ api, clock: time })).toEqual(['create ConfigMap default/late']);
    await late;
    await api.create(configMaps, named('after'));
    expect(await quietHour({ api, clock: time })).toEqual([]);
  });
});
