import { expect, it } from '@jest/globals';
import { TransportError } from './transport.ts';

it('an error of the transport reports how far the request got, and why', () => {
  const cause = new Error('connection reset');
  const error = new TransportError('Refused', cause);
  expect([error.name, error.message, error.reach, error.cause]).toEqual(['TransportError', 'connection reset', 'Refused', cause]);
  expect(error.cause).toBe(cause);
});
