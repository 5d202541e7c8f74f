// SPDX-License-Identifier: Apache-2.0
//! Conway's game of life on a torus, from Rust: a glider walks over the field while each generation is recorded, and all
//! of them are one program.
mod pliant;
use pliant::{call, Attribute, Error, Operand, Tensor};

fn rolled(x: &Tensor, shift: i64, axis: i64) -> Result<Tensor, Error> {
    call("roll", &[x.into()], &[("shift", Attribute::Integer(shift)), ("axis", Attribute::Integer(axis))])
}

fn step(field: &Tensor) -> Result<Tensor, Error> {
    let rows = &(field + &rolled(field, 1, 0)?) + &rolled(field, -1, 0)?;
    let all = &(&rows + &rolled(&rows, 1, 1)?) + &rolled(&rows, -1, 1)?;
    let neighbours = &all - field;
    // Alive next: three neighbours, or two and alive now.
    let three = call("equal", &[(&neighbours).into(), Operand::Integer(3)], &[])?;
    let two = call("equal", &[(&neighbours).into(), Operand::Integer(2)], &[])?;
    let stays = call("where", &[(&two).into(), field.into(), Operand::Real(0.0)], &[])?;
    call("where", &[(&three).into(), Operand::Real(1.0), (&stays).into()], &[])
}

fn main() -> Result<(), Error> {
    let (height, width) = (16, 16);
    let mut cells = vec![0f32; height * width];
    for (row, column) in [(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)] {
        cells[row * width + column] = 1.0;
    }
    let first = Tensor::new(&cells, &[height as i64, width as i64])?;
    let mut field = first.clone();
    for _ in 0..4 * 16 {
        field = step(&field)?;
        pliant::barrier()?;
    }
    // A glider moves by one cell along both axes in four generations, so it is back after four times sixteen.
    let last = field.read()?;
    for row in last.chunks(width) {
        println!("{}", row.iter().map(|&cell| if cell > 0.0 { '#' } else { '.' }).collect::<String>());
    }
    let wrong = call("matmul", &[(&first).into(), (&Tensor::new(&[0.0; 6], &[2, 3])?).into()], &[]);
    let message = wrong.err().map(|error| error.to_string()).unwrap_or_default();
    println!("an error says where: {}", message.replace('\n', " "));
    let counters = pliant::counters()?;
    println!("programs: {} compiled, {} from the disk cache", counters.compiles, counters.loads);
    if last != first.read()? || !message.contains("life.rs") || first.shape()? != [16, 16] {
        std::process::exit(1);
    }
    Ok(())
}
