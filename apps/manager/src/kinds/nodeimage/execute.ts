/** What each action does at the API server. Every one may be repeated. */
import { nodeImages } from '@kruise/api';
import { deleteExactly, isFailure, type Client, type EventRecorder } from '@kruise/kube';
import { unreachable } from '@kruise/objects';
import { patchNodeImage } from '../../images/patch-node-image.ts';
import { tellPullFailed } from './events.ts';
import type { Action } from '@kruise/kinds/nodeimage';

export interface Io {
  readonly client: Client;
  readonly recorder: EventRecorder;
}

async function createNodeImage({ nodeImage }: Extract<Action, { kind: 'Create' }>, { client }: Io, signal: AbortSignal): Promise<void> {
  try {
    await client.create(nodeImages, nodeImage, { signal });
  } catch (error) {
    if (!isFailure(error, 'AlreadyExists')) throw error;
  }
}

/** @throws what the API server refused; a deleted NodeImage needs no write */
export async function execute(action: Action, io: Io, signal: AbortSignal): Promise<void> {
  switch (action.kind) {
    case 'Create':
      return createNodeImage(action, io, signal);
    case 'Delete':
      return deleteExactly(io.client, nodeImages, action.nodeImage, { signal });
    case 'UpdateSpec':
      return void (await patchNodeImage(io.client, { ...action, part: 'spec' }, signal));
    case 'UpdateStatus':
      await patchNodeImage(io.client, { ...action, part: 'status' }, signal);
      for (const silence of action.silences) tellPullFailed(io.recorder, action.after, silence);
      return;
    default:
      return unreachable(action);
  }
}
