import { ActionIcon, Group, Loader, Stack, Text } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import * as t from '../../texts.ts'
import { needsPassword, PdfDocument } from './pdf-document.ts'
import classes from './view-file.module.css'

const p = t.files.view.pdf

interface OpenPdf {
  document: PdfDocument
  pages: number
}

/** Opens a document while it is shown. */
function usePdf(bytes: Uint8Array) {
  const [opened, setOpened] = useState<OpenPdf>()
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    const document = new PdfDocument()
    let isOver = false
    document.open(bytes).then(
      (pages) => isOver || setOpened({ document, pages }),
      (failure: unknown) => isOver || setError(failure),
    )
    return () => {
      isOver = true
      document.close()
    }
  }, [bytes])
  return { opened, error, setError }
}

interface PageProps {
  opened: OpenPdf
  number: number
  onError: (error: unknown) => void
}

function Page({ opened, number, onError }: PageProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [isDrawn, setIsDrawn] = useState(false)
  useEffect(() => {
    let isOver = false
    const element = canvas.current!
    opened.document.draw(number, element, element.parentElement!.clientWidth).then(
      () => isOver || setIsDrawn(true),
      (error: unknown) => isOver || onError(error),
    )
    return () => {
      isOver = true
    }
  }, [opened, number, onError])
  return <canvas ref={canvas} className={classes.page} role="img" aria-label={p.page(number)} aria-busy={!isDrawn} />
}

interface PdfViewProps {
  bytes: Uint8Array
  /** Shown in place of the pages, with the reason. */
  notShown: (reason: string) => ReactNode
}

/** Pages of a PDF of the device, one at a time. */
export default function PdfView({ bytes, notShown }: PdfViewProps) {
  const { opened, error, setError } = usePdf(bytes)
  const [number, setNumber] = useState(1)
  const region = useRef<HTMLDivElement>(null)
  // Keys scroll the page at once.
  useEffect(() => region.current?.focus(), [opened])
  if (error !== undefined) {
    return notShown(needsPassword(error) ? p.password : p.failed)
  }
  if (!opened) {
    return <Loader size="sm" aria-label={t.files.view.loading} />
  }
  const { pages } = opened
  return (
    <Stack gap="xs">
      <Group gap="xs" justify="center">
        <ActionIcon
          variant="default"
          aria-label={p.previous}
          disabled={number <= 1}
          onClick={() => setNumber(number - 1)}
        >
          <IconChevronLeft size={16} />
        </ActionIcon>
        <Text role="status" className="tabular">
          {p.position(number, pages)}
        </Text>
        <ActionIcon
          variant="default"
          aria-label={p.next}
          disabled={number >= pages}
          onClick={() => setNumber(number + 1)}
        >
          <IconChevronRight size={16} />
        </ActionIcon>
      </Group>
      <div ref={region} className={classes.pages} tabIndex={0} role="region" aria-label={p.position(number, pages)}>
        <Page key={number} opened={opened} number={number} onError={setError} />
      </div>
    </Stack>
  )
}
