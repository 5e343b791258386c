import type { RecordingDto } from '../../../shared/dtos/recording.ts'
import { plural } from '../../../shared/plural.ts'

export const recordings = {
  title: 'Recordings',
  intro: 'What was seen of screens and terminals. Every viewing is in the audit log.',
  list: 'Recordings',
  shown: (count: number, hasMore: boolean) =>
    `${plural(count, 'recording', 'recordings')}${hasMore ? ' and more' : ''}`,
  kind: { screen: 'Screen', terminal: 'Terminal' } satisfies Record<RecordingDto['kind'], string>,
  cause: {
    policy: 'By policy',
    button: 'By button',
    kept: 'Kept afterwards',
  } satisfies Record<RecordingDto['cause'], string>,
  state: {
    running: 'Recording now',
    complete: 'Complete',
    interrupted: 'Interrupted',
  } satisfies Record<RecordingDto['state'], string>,
  person: 'Person',
  causes: 'Recorded',
  started: 'Started',
  length: 'Length',
  size: 'Size',
  emptyTitle: 'No recordings',
  emptyHint:
    'Press Record in remote control or in the menu of a terminal, or choose in Settings, Recording, that sessions are always recorded.',
  allKinds: 'All',
  kinds: 'Kind of recording',
  oneTitle: (device: string) => `Recording of ${device}`,
  timeline: 'Timeline of the device',
  notFound: 'Recording not found',
  notFoundHint: 'It may be older than recordings are kept, or deleted.',
  back: 'All recordings',
  delete: 'Delete recording',
  deleteTitle: 'Delete this recording?',
  deleteHint: 'It cannot be brought back. The audit log keeps that it existed, and that you deleted it.',
  saveCast: 'Save as asciicast',
  saveVideo: 'Save as WebM',
  stopVideo: 'Cancel saving',
  videoProgress: (percent: string) => `Making the video: ${percent}`,
  videoFailed: 'The video could not be made',
  saveFailed: 'The file could not be saved',
  stillRunning: 'This session is still being recorded. What was stored so far is shown.',
}
