import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { checkProps } from '../../components/field-props.ts'
import { files as t } from '../../strings/en-files.ts'
import { byteSize, moment } from '../../strings/format.ts'
import { visibleName } from '../../strings/visible-name.ts'
import { focusFiles } from './page-files.ts'
import classes from './files.module.css'
import type { Answer, Conflict } from '../transfers/upload-plan.ts'

export interface Question {
  conflict: Conflict
  /** Number of further conflicts. */
  others: number
  answer: (choice: { answer: Answer; isForAll: boolean } | undefined) => void
}

function ConflictForm({ conflict: { local, existing, folder }, others, answer }: Question) {
  const [isForAll, setIsForAll] = useState(false)
  const choose = (choice: Answer) => () => answer({ answer: choice, isForAll })
  return (
    <Stack>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {t.conflict.inFolder(visibleName(folder))}
      </Text>
      {existing.isDirectory ? (
        <Text>{t.conflict.isFolder}</Text>
      ) : (
        <dl className={classes.facts}>
          <dt>{t.conflict.onDevice}</dt>
          <dd>{t.conflict.facts(byteSize(existing.size), moment(Date.parse(existing.lastModified)))}</dd>
          <dt>{t.conflict.yours}</dt>
          <dd>{t.conflict.facts(byteSize(local.size), moment(local.lastModified))}</dd>
        </dl>
      )}
      {others > 0 && <Checkbox label={t.conflict.forAll(others)} {...checkProps(isForAll, setIsForAll)} />}
      <Group justify="flex-end">
        <Button variant="subtle" color="gray" mr="auto" onClick={() => answer(undefined)}>
          {t.conflict.cancel}
        </Button>
        <Button variant="default" onClick={choose('skip')}>
          {t.conflict.skip}
        </Button>
        <Button variant="default" onClick={choose('keepBoth')} data-autofocus>
          {t.conflict.keepBoth}
        </Button>
        {!existing.isDirectory && (
          <Button color="danger" onClick={choose('replace')}>
            {t.conflict.replace}
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
      <bdi style={{ overflowWrap: 'anywhere' }}>
        {question && t.conflict.title(visibleName(question.conflict.local.name))}
      </bdi>
    }
  >
    {question && <ConflictForm key={question.conflict.folder + question.conflict.local.name} {...question} />}
  </Modal>
)
