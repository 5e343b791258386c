import { describe, expect, test } from 'vitest'
import { VideoChoice } from '../../../../agent/desktop/session/video-choice.ts'

/** Times of a frame in ms: between two of a video, between two of images, and of images on the link alone. */
interface Times {
  videoMs: number
  imagesMs: number
  linkMs: number
}

const fastLink: Times = { videoMs: 50, imagesMs: 40, linkMs: 5 }

/** Plays motion; returns the kinds of frames in order, with the seconds of each. */
function motion() {
  const choice = new VideoChoice()
  let now = 0
  const play = (seconds: number, { videoMs, imagesMs, linkMs }: Times) => {
    const kinds: { kind: 'images' | 'video'; seconds: number }[] = []
    for (const endAt = now + seconds * 1000; now < endAt;) {
      const kind = choice.prefersImages ? 'images' : 'video'
      const ms = kind === 'images' ? imagesMs : videoMs
      const last = kinds.at(-1)
      if (last?.kind === kind) {
        last.seconds += ms / 1000
      } else {
        kinds.push({ kind, seconds: ms / 1000 })
      }
      now += ms
      choice.follow(now, linkMs)
    }
    return kinds
  }
  const rest = (seconds: number) => {
    now += seconds * 1000
  }
  return { play, rest }
}

const kindsOf = (played: ReturnType<ReturnType<typeof motion>['play']>) => played.map(({ kind }) => kind)
const secondsOf = (kind: string, played: ReturnType<ReturnType<typeof motion>['play']>) =>
  played.reduce((sum, part) => sum + (part.kind === kind ? part.seconds : 0), 0)

describe('motion on a fast link', () => {
  test('is sent as images where these are clearly more frames, and compared again after a minute', () => {
    const { play } = motion()
    expect(kindsOf(play(50, fastLink))).toEqual(['video', 'images'])
    const later = play(120, fastLink)
    expect(kindsOf(later).length).toBeLessThanOrEqual(5)
    expect(secondsOf('images', later)).toBeGreaterThan(110)
  })

  test('stays video where images are hardly more frames, but for one attempt a minute', () => {
    const { play } = motion()
    const played = play(180, { ...fastLink, imagesMs: 46 })
    expect(kindsOf(played)).toEqual(['video', 'images', 'video', 'images', 'video', 'images', 'video'])
    expect(secondsOf('images', played)).toBeLessThan(8)
  })

  test('keeps its kind after a pause', () => {
    const { play, rest } = motion()
    play(10, fastLink)
    rest(20)
    expect(kindsOf(play(10, fastLink))).toEqual(['images'])
  })
})

test('motion is video again where images take longer than a pause', () => {
  expect(kindsOf(motion().play(50, { ...fastLink, imagesMs: 300 }))).toEqual(['video', 'images', 'video'])
})

test('motion on a slow link is video without an attempt', () => {
  expect(kindsOf(motion().play(180, { videoMs: 50, imagesMs: 120, linkMs: 60 }))).toEqual(['video'])
})

test('motion as images is video again at once when the link gets slow, and stays video for a minute', () => {
  const { play } = motion()
  play(10, fastLink)
  expect(kindsOf(play(0.1, { ...fastLink, linkMs: 80 }))).toEqual(['images', 'video'])
  expect(kindsOf(play(55, fastLink))).toEqual(['video'])
  expect(kindsOf(play(10, fastLink))).toEqual(['video', 'images'])
})
