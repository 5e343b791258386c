import { useEffect, useState } from 'react'
import { applianceDeviceFiles } from '../../../shared/api/appliance-device-files.ts'
import { buildUrl } from '../../../shared/contract/client.ts'
import { FollowedDto } from '../../../shared/dtos/file-messages.ts'
import { failureOf, type Entry, type FilePlace } from '../../api/files.ts'
import { sendSignedIn } from '../../api/http.ts'
import { linesOf } from '../../api/lines-of.ts'
import * as t from '../../texts.ts'
import { TailLines } from './tail-lines.ts'

/** Interval at which new lines are drawn. */
const drawMs = 100

interface Followed {
  lines: readonly string[]
  /** True once the device has sent the end of the file. */
  isThere: boolean
  error: Error | undefined
}

const nothing: Followed = { lines: [], isThere: false, error: undefined }

interface FollowOptions {
  /** Number of lines that are shown. */
  most: number
  isOn: boolean
  /** Changes to begin again. */
  attempt: number
}

/** Last lines of a file of a device, while `isOn`; the lines stay when it is turned off. */
export function useFollowedFile({ deviceId }: FilePlace, { fullPath }: Entry, options: FollowOptions): Followed {
  const { most, isOn, attempt } = options
  const [followed, setFollowed] = useState(nothing)
  useEffect(() => {
    if (!isOn) {
      return
    }
    const leaving = new AbortController()
    const tail = new TailLines(most)
    let timer: ReturnType<typeof setTimeout> | undefined
    const draw = () => {
      timer = undefined
      setFollowed({ lines: tail.lines, isThere: true, error: undefined })
    }
    const follow = async () => {
      const url = buildUrl(applianceDeviceFiles.routes.follow.path, {
        params: { deviceId },
        query: { path: fullPath, lines: most },
      })
      const answer = await sendSignedIn(url, { signal: leaving.signal })
      if (!answer.ok || !answer.body) {
        throw await failureOf(answer)
      }
      for await (const line of linesOf(answer.body)) {
        const { text, note } = FollowedDto.parse(JSON.parse(line))
        if (note) {
          tail.addNote(t.files.follow.notes[note])
        }
        tail.add(text ?? '')
        timer ??= setTimeout(draw, drawMs)
      }
      throw new TypeError('The file broke off.')
    }
    follow().catch((error: unknown) => {
      if (!leaving.signal.aborted) {
        setFollowed((before) => ({ ...before, error: error as Error }))
      }
    })
    return () => {
      leaving.abort()
      clearTimeout(timer)
    }
  }, [deviceId, fullPath, most, isOn, attempt])
  return followed
}
