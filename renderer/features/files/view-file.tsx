import { Button, Group, Loader, Modal, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useEffect, useState, type ReactNode } from 'react'
import type { Entry, FilePlace } from '../../api/files.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import { loadContent, type FileContent } from './file-content.ts'
import { focusFiles, usePageFiles } from './page-files.ts'
import { TextEditor } from './text-editor.tsx'
import classes from './view-file.module.css'

const v = t.files.view

/** The reader of PDF is larger than the rest of this page. */
const PdfView = lazy(() => import('./pdf-view.tsx'))

interface ViewFileProps {
  place: FilePlace
  entry: Entry
  maySave: boolean
  onDirty: (isDirty: boolean) => void
}

/** Picture of a device; its type and size were read from its bytes before. */
function Picture({ content, name }: { content: Extract<FileContent, { kind: 'picture' }>; name: string }) {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(content.blob)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [content])
  return (
    <figure className={classes.picture}>
      {url !== undefined && <img src={url} alt={name} />}
      <figcaption className="small muted tabular">{v.pixels(content.width, content.height)}</figcaption>
    </figure>
  )
}

/** Says why a file is not shown, and offers what else can be done with it. */
function NotShown({ entry, reason, children }: { entry: Entry; reason: string; children?: ReactNode }) {
  const { download } = usePageFiles()
  return (
    <Stack align="flex-start">
      <Text>{reason}</Text>
      <Group>
        {download && (
          <Button variant="default" onClick={() => download([entry])}>
            {t.files.download}
          </Button>
        )}
        {children}
      </Group>
    </Stack>
  )
}

function Content({ place, entry, maySave, onDirty }: ViewFileProps) {
  const query = useQuery({
    queryKey: ['files', place.deviceId, 'content', entry.fullPath],
    queryFn: ({ signal }) => loadContent(place, entry, signal),
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const { follow } = usePageFiles()
  const content = query.data
  if (!content || query.isRefetching) {
    return query.error ? (
      <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />
    ) : (
      <Loader size="sm" aria-label={v.loading} />
    )
  }
  switch (content.kind) {
    case 'picture':
      return <Picture content={content} name={visibleName(entry.name)} />
    case 'text':
      return (
        <TextEditor
          key={query.dataUpdatedAt}
          place={place}
          entry={entry}
          content={content}
          maySave={maySave}
          onDirty={onDirty}
          onReload={() => void query.refetch()}
        />
      )
    case 'pdf':
      return (
        <Suspense fallback={<Loader size="sm" aria-label={v.loading} />}>
          <PdfView bytes={content.bytes} notShown={(reason) => <NotShown entry={entry} reason={reason} />} />
        </Suspense>
      )
    case 'large':
      return (
        <NotShown entry={entry} reason={v.large}>
          <Button variant="default" onClick={() => follow?.(entry)}>
            {t.files.followFile}
          </Button>
        </NotShown>
      )
    default:
      return <NotShown entry={entry} reason={v[content.kind]} />
  }
}

interface ViewFileDialogProps extends Omit<ViewFileProps, 'entry' | 'onDirty'> {
  /** The dialog is closed without an entry. */
  entry: Entry | undefined
  onClose: () => void
}

/** Shows a text or a picture of the device, and edits texts. */
export function ViewFileDialog({ entry, onClose, ...props }: ViewFileDialogProps) {
  const [isDirty, setIsDirty] = useState(false)
  const [isAsked, setIsAsked] = useState(false)
  const close = useCallback(() => {
    setIsDirty(false)
    setIsAsked(false)
    onClose()
  }, [onClose])
  return (
    <Modal
      opened={entry !== undefined}
      onClose={() => (isDirty ? setIsAsked(true) : close())}
      size="min(1100px, 96vw)"
      title={<bdi className="wrap-anywhere">{entry && visibleName(entry.name)}</bdi>}
      onExitTransitionEnd={focusFiles}
    >
      {entry && <Content key={entry.fullPath} entry={entry} onDirty={setIsDirty} {...props} />}
      {isAsked && (
        <Group mt="md" justify="flex-end" role="alert">
          <Text mr="auto">{v.unsaved}</Text>
          <Button variant="default" onClick={() => setIsAsked(false)}>
            {v.goOn}
          </Button>
          <Button color="danger" onClick={close}>
            {v.discard}
          </Button>
        </Group>
      )}
    </Modal>
  )
}
