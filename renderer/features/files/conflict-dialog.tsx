import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { checkProps } from '../../components/field-props.ts'
import * as t from '../../texts.ts'
import { byteSize, moment } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import { focusFiles } from './page-files.ts'
import classes from './files.module.css'
import type { Answer, Conflict } from '../transfers/upload-plan.ts'

export interface Question {
  conflict: Conflict
  /** Number of further conflicts. */
  others: number
  answer: (choice: { answer: Answer; isForAll: boolean } | undefined) => void
}

function ConflictForm({ conflict: { source, kind, existing, folder }, others, answer }: Question) {
  const isReplaceable = !existing.isDirectory && kind !== 'folder'
  const [isForAll, setIsForAll] = useState(false)
  const choose = (choice: Answer) => () => answer({ answer: choice, isForAll })
  return (
    <Stack>
      <Text size="xs" c="dimmed" className="wrap-anywhere">
        {t.files.conflict.inFolder(visibleName(folder))}
      </Text>
      {!isReplaceable ? (
        <Text>{existing.isDirectory ? t.files.conflict.isFolder : t.files.conflict.isFolderOverFile}</Text>
      ) : (
        <dl className={classes.facts}>
          <dt>{t.files.conflict.onDevice}</dt>
          <dd>{t.files.conflict.facts(byteSize(existing.size), moment(Date.parse(existing.lastModified)))}</dd>
          <dt>{kind === 'local' ? t.files.conflict.yours : t.files.conflict.source}</dt>
          <dd>{t.files.conflict.facts(byteSize(source.size), moment(source.lastModified))}</dd>
        </dl>
      )}
      {others > 0 && <Checkbox label={t.files.conflict.forAll(others)} {...checkProps(isForAll, setIsForAll)} />}
      <Group justify="flex-end">
        <Button variant="subtle" color="gray" mr="auto" onClick={() => answer(undefined)}>
          {kind === 'local' ? t.files.conflict.cancel : t.common.cancel}
        </Button>
        <Button variant="default" onClick={choose('skip')}>
          {t.files.conflict.skip}
        </Button>
        <Button variant="default" onClick={choose('keepBoth')} data-autofocus>
          {t.files.conflict.keepBoth}
        </Button>
        {isReplaceable && (
          <Button color="danger" onClick={choose('replace')}>
            {t.files.conflict.replace}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

/** Asks what to do about an existing file of the same name. */
export const ConflictDialog = ({ question }: { question: Question | undefined }) => (
  <Modal
    opened={question !== undefined}
    onClose={() => question?.answer(undefined)}
    onExitTransitionEnd={focusFiles}
    size="lg"
    title={
      <bdi className="wrap-anywhere">
        {question && t.files.conflict.title(visibleName(question.conflict.source.name))}
      </bdi>
    }
  >
    {question && <ConflictForm key={question.conflict.folder + question.conflict.source.name} {...question} />}
  </Modal>
)
