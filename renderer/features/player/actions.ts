import {
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerTrackNext,
  IconPlayerTrackPrev,
  IconRewindBackward5,
  IconRewindForward5,
} from '@tabler/icons-react'
import type { RecordingMarkDto } from '../../../shared/dtos/recording.ts'
import type { Action } from '../../components/actions.ts'
import * as t from '../../texts.ts'
import { fullScreenAction, type FullScreenContext } from '../viewer-kit/full-screen-action.ts'
import type { Playback } from './playback.ts'

/** Target of the actions of the player. */
export interface PlayerContext extends Omit<FullScreenContext, 'focusToolbar'> {
  playback: Playback
  marks: readonly RecordingMarkDto[]
}

const stepMs = 5_000
/** Time before a mark at which the way to the mark leads. */
const leadMs = 1_000

const step = ({ playback }: PlayerContext, ms: number) => playback.seek(playback.store.state.position + ms)

/** Position from which a mark is watched. */
export const placeOf = ({ at }: RecordingMarkDto) => Math.max(0, at - leadMs)

const nextPlace = ({ playback, marks }: PlayerContext) =>
  marks.map(placeOf).find((place) => place > playback.store.state.position)

/** Skips the mark that plays now, so that a second press leads further back. */
const placeBefore = ({ playback, marks }: PlayerContext) =>
  marks.map(placeOf).findLast((place) => place < playback.store.state.position - leadMs)

export const playAction: Action<PlayerContext> = {
  name: 'play',
  label: t.player.play,
  icon: IconPlayerPlay,
  keys: [' '],
  keysLabel: 'Space',
  isOn: ({ playback }) => playback.store.state.isPlaying,
  on: { label: t.player.pause, icon: IconPlayerPause },
  run: ({ playback }) => (playback.store.state.isPlaying ? playback.pause() : playback.play()),
}

export const stepActions: readonly Action<PlayerContext>[] = [
  {
    name: 'previous-mark',
    label: t.player.previousMark,
    icon: IconPlayerTrackPrev,
    keys: ['Shift+ArrowLeft'],
    isDisabled: (context) => placeBefore(context) === undefined,
    run: (context) => context.playback.seek(placeBefore(context) ?? 0),
  },
  {
    name: 'back',
    label: t.player.back,
    icon: IconRewindBackward5,
    keys: ['ArrowLeft'],
    run: (context) => step(context, -stepMs),
  },
  {
    name: 'forward',
    label: t.player.forward,
    icon: IconRewindForward5,
    keys: ['ArrowRight'],
    run: (context) => step(context, stepMs),
  },
  {
    name: 'next-mark',
    label: t.player.nextMark,
    icon: IconPlayerTrackNext,
    keys: ['Shift+ArrowRight'],
    isDisabled: (context) => nextPlace(context) === undefined,
    run: (context) => context.playback.seek(nextPlace(context) ?? 0),
  },
]

/** Shown as a switch with its label, because no icon says it. */
export const quietAction: Action<PlayerContext> = {
  name: 'skip-quiet',
  label: t.player.skipQuiet,
  keys: ['S'],
  run: ({ playback }) => playback.setSkipsQuiet(!playback.store.state.skipsQuiet),
}

export const fillAction: Action<PlayerContext> = fullScreenAction('F')

/** A browser that denies full screen does not handle Escape. */
const leaveAction: Action<PlayerContext> = {
  name: 'leave-full-screen',
  label: t.viewer.leaveFullScreen,
  keys: ['Escape'],
  isOffered: ({ isFullScreen }) => isFullScreen,
  run: ({ toggleFullScreen }) => toggleFullScreen(),
}

export const playerActions: readonly Action<PlayerContext>[] = [
  playAction,
  ...stepActions,
  quietAction,
  fillAction,
  leaveAction,
]
