// How results of the search are ordered: as Sphinx does, but sections whose title has the words
// that were typed go first, as they lead to the answer and not to the page that holds it.
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  score: (result) => {
    const [, , anchor, description, score] = result;
    return anchor && description === null ? score + 15 : score;
  },
};
