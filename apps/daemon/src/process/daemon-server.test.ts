import { describe, expect, it } from '@jest/globals';
import { answerCheck } from './daemon-server.ts';

describe('a check', () => {
  it('is ok when there is no fault', () => {
    expect(answerCheck({ podInformerSynced: () => undefined })).toEqual({ status: 200, body: 'ok' });
    expect(answerCheck({})).toEqual({ status: 200, body: 'ok' });
  });

  it('names the first one that fails and why', () => {
    const checks = { a: () => undefined, podInformerSynced: () => 'not synced', c: () => 'never asked' };
    expect(answerCheck(checks)).toEqual({ status: 500, body: 'check podInformerSynced failed, err: not synced' });
  });
});
