//! The crate fast-robots as a peer; README.md describes the protocol.
//!
//! This project does not build it. Build a program with that crate as its only dependency, and name
//! the program in ROBOTS_PEER_FAST_ROBOTS.

use fast_robots::{RobotsMatcher, RobotsTxt};
use std::collections::HashMap;
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

struct Question {
    file: usize,
    agent: String,
    path: String,
}

struct Input {
    sizes: Vec<u64>,
    texts: Vec<&'static str>,
    questions: Vec<Question>,
    first: Vec<usize>,
    matchers: Vec<RobotsMatcher<'static>>,
}

fn read_line(stream: &mut impl BufRead) -> String {
    let mut line = String::new();
    if stream.read_line(&mut line).expect("a line") == 0 {
        std::process::exit(0);
    }
    line.truncate(line.trim_end_matches('\n').len());
    line
}

fn read_input(stream: &mut impl BufRead, files: usize, questions: usize) -> Input {
    let mut input =
        Input { sizes: vec![], texts: vec![], questions: vec![], first: vec![], matchers: vec![] };
    for _ in 0..files {
        let size: u64 = read_line(stream).parse().expect("a size");
        let mut octets = vec![0; size as usize];
        stream.read_exact(&mut octets).expect("a file");
        // The crate reads only UTF-8. The conversion is not timed.
        let text = String::from_utf8_lossy(&octets).into_owned();
        let text: &'static str = Box::leak(text.into_boxed_str());
        let rules: &'static RobotsTxt<'static> = Box::leak(Box::new(RobotsTxt::parse(text)));
        input.sizes.push(size);
        input.texts.push(text);
        input.matchers.push(rules.matcher());
    }
    for _ in 0..questions {
        let line = read_line(stream);
        let mut fields = line.split('\t');
        let mut field = || fields.next().expect("a field").to_string();
        let question =
            Question { file: field().parse().expect("a file"), agent: field(), path: field() };
        if input.questions.last().map(|q| q.file) != Some(question.file) {
            input.first.push(input.questions.len());
        }
        input.questions.push(question);
    }
    input
}

/// Returns the fastest pass over `count` operations within the budget, after a pass to warm up.
fn best_pass<T>(
    count: usize,
    budget: Duration,
    once: impl Fn(usize) -> T,
    octets: impl Fn(usize) -> u64,
) -> String {
    let start = Instant::now();
    let mut done = 0;
    let mut read = 0;
    for i in 0..count {
        black_box(once(i));
        done += 1;
        read += octets(i);
        if start.elapsed() > budget {
            break;
        }
    }
    let mut best = start.elapsed();
    if done == count {
        best = Duration::MAX;
        loop {
            let pass = Instant::now();
            for i in 0..count {
                black_box(once(i));
            }
            best = best.min(pass.elapsed());
            if start.elapsed() >= budget {
                break;
            }
        }
    }
    format!("timed {done} {read} {}", best.as_nanos())
}

fn timed(input: &Input, what: &str, budget: Duration) -> String {
    let first = |i: usize| &input.questions[input.first[i]];
    match what {
        "parse" => best_pass(
            input.texts.len(),
            budget,
            |i| RobotsTxt::parse(black_box(input.texts[i])),
            |i| input.sizes[i],
        ),
        "compile" => best_pass(
            input.first.len(),
            budget,
            |i| {
                let q = first(i);
                RobotsTxt::parse(black_box(input.texts[q.file])).is_allowed(&q.agent, &q.path)
            },
            |i| input.sizes[first(i).file],
        ),
        _ => best_pass(
            input.questions.len(),
            budget,
            |i| {
                let q = &input.questions[i];
                input.matchers[q.file].is_allowed(black_box(&q.agent), black_box(&q.path))
            },
            |_| 0,
        ),
    }
}

fn verdicts(input: &Input) -> String {
    let answer = |q: &Question| {
        if input.matchers[q.file].is_allowed(&q.agent, &q.path) { '1' } else { '0' }
    };
    input.questions.iter().map(answer).collect()
}

fn main() {
    let mut stream = std::io::stdin().lock();
    let mut inputs: HashMap<String, Input> = HashMap::new();
    let say = |text: &str| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{text}").and_then(|()| out.flush()).expect("a reader");
    };
    say("robots-peer 1 fast-robots (Rust), queries with its compiled matcher");
    loop {
        let line = read_line(&mut stream);
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["input", name, files, questions] => {
                let count = |word: &str| word.parse().expect("a count");
                let input = read_input(&mut stream, count(files), count(questions));
                inputs.insert(name.to_string(), input);
                say("ready");
            }
            ["time", what, name, milliseconds] => {
                let budget = Duration::from_millis(milliseconds.parse().expect("a duration"));
                say(&timed(inputs.get(name).expect("a known input"), what, budget));
            }
            ["verdicts", name] => {
                let answers = verdicts(inputs.get(name).expect("a known input"));
                say(&format!("verdicts {answers}"));
            }
            _ => say("failed unknown command"),
        }
    }
}
