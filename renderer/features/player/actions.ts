import { IconPlayerPause, IconPlayerPlay, IconRewindBackward5, IconRewindForward5 } from '@tabler/icons-react'
import type { Action } from '../../components/actions.ts'
import * as t from '../../texts.ts'
import type { Playback } from './playback.ts'

const stepMs = 5_000

const step = (playback: Playback, ms: number) => playback.seek(playback.store.state.position + ms)

export const playAction: Action<Playback> = {
  name: 'play',
  label: t.player.play,
  icon: IconPlayerPlay,
  keys: [' '],
  keysLabel: 'Space',
  isOn: ({ store }) => store.state.isPlaying,
  on: { label: t.player.pause, icon: IconPlayerPause },
  run: (playback) => (playback.store.state.isPlaying ? playback.pause() : playback.play()),
}

export const stepActions: readonly Action<Playback>[] = [
  {
    name: 'back',
    label: t.player.back,
    icon: IconRewindBackward5,
    keys: ['ArrowLeft'],
    run: (playback) => step(playback, -stepMs),
  },
  {
    name: 'forward',
    label: t.player.forward,
    icon: IconRewindForward5,
    keys: ['ArrowRight'],
    run: (playback) => step(playback, stepMs),
  },
]

export const playerActions: readonly Action<Playback>[] = [playAction, ...stepActions]
