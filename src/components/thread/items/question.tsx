'use client'
import { CircleHelp } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { factOf } from '../../../client/api.ts'
import { useMay } from '../../../client/thread-people.ts'
import { useThreadStore } from '../../../client/use-thread.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { Answers, Question, QuestionItem } from '../../../protocol/item.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { inputClass } from '../../ui/field.tsx'
import { Shown } from '../../ui/shown.tsx'
import { useName } from '../names.tsx'

/** A question to people: answered here, by whoever comes first. */
export function QuestionView({ item }: { item: QuestionItem }) {
  const t = useTranslations('question')
  const open = item.answers === undefined && item.withdrawn !== true
  const may = useMay('driver')
  return (
    <section
      aria-label={t('label')}
      data-item="question"
      className={cn('my-2 rounded-lg border border-line px-4 py-3', open && 'border-wait bg-wait-soft')}
    >
      <header
        className={cn('flex items-center gap-1.5 pb-2 text-xs font-medium text-faint', open && 'text-wait')}
      >
        <CircleHelp aria-hidden className="size-3.5" />
        {open ? t(may ? 'needsYou' : 'open') : item.withdrawn === true ? t('withdrawn') : t('answered')}
      </header>
      {open && may ? <AnswerForm item={item} /> : <Answered item={item} />}
      {open && !may && <p className="pt-2 text-xs text-soft">{t('notYours')}</p>}
    </section>
  )
}

function Answered({ item }: { item: QuestionItem }) {
  const t = useTranslations('question')
  const name = useName(item.answeredBy ?? 'system')
  return (
    <dl className="space-y-2">
      {item.questions.map((question) => (
        <div key={question.id}>
          <dt className="whitespace-pre-wrap text-soft">
            <Shown text={question.text} />
          </dt>
          {item.answers !== undefined && (
            <dd className="font-medium whitespace-pre-wrap">
              <Shown text={item.answers[question.id]?.join(', ') || t('noAnswer')} />
            </dd>
          )}
        </div>
      ))}
      {item.answeredBy !== undefined && <p className="text-xs text-faint">{t('answeredBy', { name })}</p>}
    </dl>
  )
}

function AnswerForm({ item }: { item: QuestionItem }) {
  const t = useTranslations('question')
  const store = useThreadStore()
  const [chosen, setChosen] = useState<Record<string, string>>({})
  const [words, setWords] = useState<Record<string, string>>({})
  const [sending, setSending] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const answers: Answers = Object.fromEntries(
    item.questions.map(({ id }) => [
      id,
      [chosen[id] ?? '', (words[id] ?? '').trim()].filter((value) => value !== ''),
    ]),
  )
  const complete = Object.values(answers).every((values) => values.length > 0)

  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (!complete) return
    setSending(true)
    setError(null)
    try {
      const receipt = await store.submit({ type: 'input.answer', itemId: item.id, answers })
      if (receipt?.error) setError(receipt.error.message)
    } catch (failure) {
      setError(factOf(failure).message)
    } finally {
      setSending(false)
    }
  }

  return (
    <form onSubmit={(event) => void send(event)} className="space-y-4">
      {item.questions.map((question) => (
        <QuestionField
          key={question.id}
          name={`${item.id}:${question.id}`}
          question={question}
          chosen={chosen[question.id]}
          words={words[question.id] ?? ''}
          onChoose={(label) => setChosen({ ...chosen, [question.id]: label })}
          onWords={(text) => setWords({ ...words, [question.id]: text })}
        />
      ))}
      {error !== null && (
        <p role="alert" className="text-xs text-bad">
          {error}
        </p>
      )}
      <Button type="submit" look="primary" disabled={!complete || sending}>
        {sending ? t('sending') : t('answer')}
      </Button>
    </form>
  )
}

type QuestionFieldProps = {
  name: string
  question: Question
  chosen: string | undefined
  words: string
  onChoose: (label: string) => void
  onWords: (text: string) => void
}

function QuestionField({ name, question, chosen, words, onChoose, onWords }: QuestionFieldProps) {
  const t = useTranslations('question')
  return (
    <fieldset>
      <legend className="pb-1.5 font-medium whitespace-pre-wrap">
        <Shown text={question.text} />
      </legend>
      <div className="space-y-1">
        {question.options.map((option) => (
          <label
            key={option.label}
            className={cn(
              'flex cursor-pointer items-start gap-2.5 rounded-md border border-line bg-raised px-3 py-2 row-hover',
              chosen === option.label && 'border-brand',
            )}
          >
            <input
              type="radio"
              name={name}
              className="mt-1 accent-(--brand)"
              checked={chosen === option.label}
              onChange={() => onChoose(option.label)}
            />
            <span>
              <span className="block">
                <Shown text={option.label} />
              </span>
              {option.description !== undefined && (
                <span className="block text-xs text-soft">
                  <Shown text={option.description} />
                </span>
              )}
            </span>
          </label>
        ))}
        <input
          type="text"
          value={words}
          onChange={(event) => onWords(event.target.value)}
          aria-label={t('ownWords')}
          placeholder={question.options.length > 0 ? t('orOwnWords') : t('ownWords')}
          className={inputClass}
        />
      </div>
    </fieldset>
  )
}
