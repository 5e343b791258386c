import { Box, Button, Group, Stack } from '@mantine/core'
import { IconDownload, IconTrash, IconVideoOff } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { BackLink } from '../../components/back-link.tsx'
import { deviceAddress } from '../../components/device-tabs.ts'
import { ButtonLink, TextLink } from '../../components/links.tsx'
import { Moment } from '../../components/moment.tsx'
import type { RecordingDto, RecordingReadingDto } from '../../../shared/dtos/recording.ts'
import { api, statusOf } from '../../api/http.ts'
import { asciicastAddress, beginReading, readBlock, recordingQueries } from '../../api/recording-queries.ts'
import { invalidate } from '../../api/query-client.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { AskButton } from '../../components/list-kit/dialogs.tsx'
import { NoRight } from '../../components/no-right.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { QueryState } from '../../components/query-state.tsx'
import type { Playback } from '../../features/player/playback.ts'
import { PicturePlayer, TerminalPlayer } from '../../features/player/player.tsx'
import { saveAddress } from '../../features/transfers/download.ts'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { useSession } from '../../hooks/use-session.ts'
import { clockTime, percent } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'
import classes from './recording-page.module.css'

interface ShownRecording {
  recording: RecordingDto
  reading: RecordingReadingDto
  video: Video
}

const saveIcon = <IconDownload size={16} stroke={1.6} />

function Content({ recording, reading, video }: ShownRecording) {
  const recordingId = recording.id
  const readingId = reading.id
  const read = useCallback(
    (index: number, signal: AbortSignal) => readBlock({ recordingId, readingId, index }, signal),
    [recordingId, readingId],
  )
  const Player = recording.kind === 'screen' ? PicturePlayer : TerminalPlayer
  return reading.blocks.length === 0 ? (
    <p className="muted">{t.player.empty}</p>
  ) : (
    <>
      {video.share !== undefined && (
        <span className="muted small tabular" role="status">
          {t.recordings.videoProgress(percent(video.share))}
        </span>
      )}
      {video.error !== undefined && <ProblemAlert error={video.error} title={t.recordings.videoFailed} />}
      <Box flex={1} mih={0}>
        <Player reading={reading} readBlock={read} onPlayback={video.onPlayback} />
      </Box>
    </>
  )
}

/** Saves a recorded terminal as a file. */
function SaveTerminal(reading: { recordingId: string; readingId: string }) {
  const save = useMutation({ mutationFn: () => saveAddress(asciicastAddress(reading)) })
  return (
    <>
      <Button variant="default" leftSection={saveIcon} loading={save.isPending} onClick={() => save.mutate()}>
        {t.recordings.saveCast}
      </Button>
      {save.error && <ProblemAlert error={save.error} title={t.recordings.saveFailed} />}
    </>
  )
}

const SaveVideo = ({ video }: { video: Video }) => (
  <Button
    variant="default"
    leftSection={saveIcon}
    disabled={!video.canStart}
    onClick={() => (video.share === undefined ? video.start() : video.cancel())}
  >
    {video.share === undefined ? t.recordings.saveVideo : t.recordings.stopVideo}
  </Button>
)

type Video = ReturnType<typeof useVideo>

/** Video of a recorded screen, made and saved by the browser. */
function useVideo(recording: RecordingDto | undefined) {
  const [shown, setShown] = useState<{ playback: Playback; canvas: HTMLCanvasElement }>()
  const [share, setShare] = useState<number>()
  const [error, setError] = useState<unknown>()
  const making = useRef<AbortController>(undefined)
  const onPlayback = useCallback(
    (playback: Playback | undefined, canvas: HTMLCanvasElement | undefined) =>
      setShown(playback && canvas ? { playback, canvas } : undefined),
    [],
  )
  useEffect(() => () => making.current?.abort(), [])
  const make = async ({ playback, canvas }: NonNullable<typeof shown>, signal: AbortSignal) => {
    setError(undefined)
    setShare(0)
    try {
      const { makeVideo } = await import('../../features/player/make-video.ts')
      const video = await makeVideo({ playback, canvas, onProgress: setShare, signal })
      saveBlob(video, `${recording!.deviceName}-${recording!.startedAt.slice(0, 19).replaceAll(':', '-')}.webm`)
    } catch (problem) {
      setError(signal.aborted ? undefined : problem)
    }
    setShare(undefined)
    playback.seek(0)
  }
  return {
    share,
    error,
    onPlayback,
    canStart: shown !== undefined,
    start() {
      making.current = new AbortController()
      void (shown && make(shown, making.current.signal))
    },
    cancel: () => making.current?.abort(),
  }
}

/** Lets the browser save bytes that the page has made. */
function saveBlob(blob: Blob, name: string) {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  Object.assign(link, { href: url, download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

function DeleteRecording({ recordingId }: { recordingId: string }) {
  const { can } = useSession()
  const navigate = useNavigate()
  return (
    can('appliance.recordings.delete') && (
      <AskButton
        label={t.recordings.delete}
        title={t.recordings.deleteTitle}
        button={{ leftSection: <IconTrash size={16} stroke={1.6} /> }}
        onConfirm={() => api.recordings.remove({ params: { recordingId } })}
        onConfirmed={() => {
          void invalidate(recordingQueries.all)
          void navigate('/recordings')
        }}
      >
        {t.recordings.deleteHint}
      </AskButton>
    )
  )
}

/** Person, time and length of a recording, and the way to what else happened at its device. */
const Facts = ({ recording, durationMs }: { recording: RecordingDto; durationMs: number | undefined }) => (
  <>
    <bdi>{visibleName(recording.personName)}</bdi>
    {' · '}
    <Moment at={recording.startedAt} />
    {durationMs !== undefined && ` · ${clockTime(durationMs)}`}
    {' · '}
    <TextLink to={deviceAddress(recording.deviceId, 'timeline')} underline="always">
      {t.recordings.timeline}
    </TextLink>
  </>
)

function Recording({ recordingId }: { recordingId: string }) {
  const recording = useQuery(recordingQueries.one(recordingId))
  const reading = useQuery({
    queryKey: ['recordings', 'reading', recordingId],
    queryFn: () => beginReading(recordingId),
    enabled: recording.data !== undefined,
    // Each reading is an event of the audit log: one for each visit.
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })
  const { data } = recording
  const video = useVideo(data)
  if (statusOf(recording.error) === 404) {
    return (
      <EmptyState icon={IconVideoOff} title={t.recordings.notFound} hint={t.recordings.notFoundHint}>
        <ButtonLink to="/recordings">{t.recordings.back}</ButtonLink>
      </EmptyState>
    )
  }
  return (
    <div className={classes.page}>
      <PageHead
        back={<BackLink to="/recordings">{t.recordings.title}</BackLink>}
        title={data ? t.recordings.oneTitle(visibleName(data.deviceName)) : t.recordings.title}
        intro={data && <Facts recording={data} durationMs={reading.data?.durationMs} />}
        action={
          <Group gap="xs">
            {data?.kind === 'screen' && reading.data && <SaveVideo video={video} />}
            {data?.kind === 'terminal' && reading.data && (
              <SaveTerminal recordingId={recordingId} readingId={reading.data.id} />
            )}
            {data && data.state !== 'running' && <DeleteRecording recordingId={recordingId} />}
          </Group>
        }
      />
      <Stack flex={1} gap={8} mih={0} px="var(--page-side)" pb={16}>
        {data?.state === 'running' && <p>{t.recordings.stillRunning}</p>}
        {data && data.problem !== null && <p>{data.problem}</p>}
        {data && reading.data ? (
          <Content recording={data} reading={reading.data} video={video} />
        ) : (
          <QueryState query={recording.error ? recording : reading} height={320} />
        )}
      </Stack>
    </div>
  )
}

/** A recording, which plays. */
export function Component() {
  const { recordingId = '' } = useParams()
  usePageTitle(t.recordings.title)
  const { can } = useSession()
  return can('appliance.recordings.read') ? (
    <Recording key={recordingId} recordingId={recordingId} />
  ) : (
    <NoRight page={t.recordings.title} rights={['appliance.recordings.read']} />
  )
}
