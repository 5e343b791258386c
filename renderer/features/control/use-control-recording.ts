import { useEffect, useEffectEvent, useRef } from 'react'
import { useRecording } from '../viewer-kit/use-recording.ts'
import type { ControlSession } from './control-session.ts'
import type { ControlState } from './control-state.ts'

/** Recording of the session; asks the device for the whole pictures that a recording needs. */
export function useControlRecording(
  session: ControlSession | undefined,
  state: ControlState | undefined,
  onNote: (text: string) => void,
) {
  const sessionId = state?.session.phase === 'open' ? session?.sessionId : undefined
  const recording = useRecording(sessionId, onNote)
  const isRecordable = recording !== undefined
  const isRecording = recording?.state.isRecording ?? false
  useEffect(() => session?.setWholePictures(isRecordable), [session, isRecordable])
  useEffect(() => {
    if (isRecording) {
      // A recording begins with a whole picture.
      session?.send({ name: 'RequestKeyFrame', payload: {} })
    }
  }, [session, isRecording])

  /** Session that was recorded last, unless its recording was stopped. */
  const recordedId = useRef<string>(undefined)
  const goOn = useEffectEvent(() => recording?.toggle())
  useEffect(() => {
    if (isRecordable) {
      const isReplaced = recordedId.current !== undefined && recordedId.current !== sessionId
      if (!isRecording && isReplaced) {
        // The session replaces one whose connection was lost.
        goOn()
      }
      recordedId.current = isRecording || isReplaced ? sessionId : undefined
    }
  }, [sessionId, isRecordable, isRecording])
  return recording
}
