import type { RecordingMarkDto } from '../../../shared/dtos/recording.ts'

/** Names of marks on the timeline. */
const marks: Record<RecordingMarkDto['kind'], (text: string) => string> = {
  key: (text) => text,
  typed: () => 'Typed text',
  typist: (text) => `${text} types`,
  clipboard: () => 'Sent a clipboard',
  unread: () => 'Sent a message too long to read',
  'left-out': () => 'Too many to mark: watch the screen',
  display: (text) => (text === '' ? 'All displays' : `Display: ${text}`),
  upload: (text) => `Sent file: ${text}`,
  download: (text) => `Fetched file: ${text}`,
  'block-input': () => 'Switched the input block',
  'privacy-screen': () => 'Switched the privacy screen',
  'desktop-switch': () => 'Another desktop',
}

export const player = {
  play: 'Play',
  pause: 'Pause',
  back: 'Back 5 seconds',
  forward: 'Forward 5 seconds',
  previousMark: 'Previous event',
  nextMark: 'Next event',
  skipQuiet: 'Skip quiet parts',
  skipQuietHint: 'Leaves out parts of 3 seconds and more in which nothing changes.',
  position: 'Position',
  speed: 'Speed',
  times: (speed: number) => `${speed}×`,
  time: (position: string, duration: string) => `${position} / ${duration}`,
  loading: 'Loading…',
  picture: 'Recorded screen',
  terminal: 'Recorded terminal',
  marks: 'What happened',
  noMarks: 'No events were recorded.',
  mark: ({ kind, text }: Pick<RecordingMarkDto, 'kind' | 'text'>) => marks[kind](text),
  moreMarks: (count: number) => `${count} more are on the timeline.`,
  failed: 'This recording cannot be played on',
  empty: 'Nothing was shown while this was recorded.',
}
